/** The CPU time of each test file, a line each in the file that `GITSTEAD_TEST_CPU` names. */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'

/** Fields 14 to 17 of proc_pid_stat(5): user and system time of the process, and of the children it has waited for. */
const ticksPerSecond = 100

interface CpuTimes {
  own_s: number
  children_s: number
  system_s: number
}

function readTimes(): CpuTimes {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / ticksPerSecond)
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields
  return { own_s: user + system, children_s: childUser + childSystem, system_s: system + childSystem }
}

/** Processor time of this process so far, and of the children it has waited for, where the system tells. */
export function cpuTime_ms(): number {
  if (process.platform === 'linux') {
    const { own_s, children_s } = readTimes()
    return (own_s + children_s) * 1000
  }
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Starts measuring. The function it returns appends a line: CPU seconds in all, seconds that passed, CPU seconds of its own,
 * of children, in the system; engine and file. Linux only. */
export function measureCpu(): () => void {
  const report = process.env.GITSTEAD_TEST_CPU
  if (!report) return () => {}
  const before = readTimes()
  const started_ms = performance.now()
  return () => {
    const after = readTimes()
    const own = after.own_s - before.own_s
    const children = after.children_s - before.children_s
    const wall = (performance.now() - started_ms) / 1000
    const numbers = [own + children, wall, own, children, after.system_s - before.system_s].map((seconds) => seconds.toFixed(2))
    const file = relative(process.cwd(), expect.getState().testPath ?? '')
    appendFileSync(report, `${[...numbers, process.env.GITSTEAD_TEST_ENGINE ?? 'sqlite', file].join('\t')}\n`)
  }
}
