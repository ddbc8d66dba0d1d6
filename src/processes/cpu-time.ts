/** Processor time of another process. */
import { readFileSync } from 'node:fs'

/** Clock tick of `/proc`: 100 per second on every system that Node.js runs on. */
const tick_ms = 10

/** User and system time of the process in milliseconds; null without such a process or without /proc. */
export function cpuTimeOf_ms(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program name is in parentheses and may contain anything; the third field is the first one after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = [Number(fields[14 - 3]), Number(fields[15 - 3])]
    return Number.isFinite(user + system) ? (user + system) * tick_ms : null
  } catch {
    return null
  }
}
