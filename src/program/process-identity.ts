/** Identifies processes that own something in the database or on disk, so that dead ones can be distinguished from slow ones. */
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * A process, as written to rows and files: `<host> <machine> <boot> <pid namespace> <pid> <start time> <nonce>`, with `-` for what the
 * system doesn't report. A pid alone is ambiguous: it is reused after a restart of the machine, and each container has its own pid 1. The
 * start time (field 22 of /proc/<pid>/stat) is in clock ticks since boot.
 */
interface Identity {
  host: string
  machine: string
  boot: string
  namespace: string
  pid: number
  started: string
}

const unknown = '-'

const own: Identity = {
  host: hostname(),
  machine: word(() => readFileSync('/etc/machine-id', 'utf8')),
  boot: word(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  namespace: word(() => readlinkSync('/proc/self/ns/pid')),
  pid: process.pid,
  started: readStat(process.pid)?.started ?? unknown,
}

export const thisProcess = written(own, randomUUID())

export type ProcessState = 'self' | 'alive' | 'dead' | 'unknown'

/**
 * The state of the process that wrote `owner`. `unknown` for processes of other machines and containers, which can't be checked from here,
 * so only their timeouts count. A living process is never `dead`.
 */
export function stateOf(owner: string): ProcessState {
  if (owner === thisProcess) return 'self'
  const other = parse(owner)
  if (other.boot !== own.boot) return isSameMachine(other) ? 'dead' : 'unknown'
  // The boot id identifies the kernel, even where containers call their host by different names.
  if (own.boot === unknown && other.host !== own.host) return 'unknown'
  if (other.namespace !== own.namespace) return 'unknown'
  if (other.started !== unknown) return stateByStart(other)
  // Without start times, an earlier process is only known to be dead if it had our pid.
  return other.pid !== own.pid && exists(other.pid) ? 'alive' : 'dead'
}

/** Whether this machine has restarted since. Machines may share a name, or an id if they were cloned, but hardly both. */
function isSameMachine({ host, machine, boot }: Identity): boolean {
  return boot !== unknown && own.boot !== unknown && host === own.host && machine !== unknown && machine === own.machine
}

function written({ host, machine, boot, namespace, pid, started }: Identity, nonce: string): string {
  return [host, machine, boot, namespace, pid, started, nonce].join(' ')
}

/** The format of earlier versions (`<host> <pid> <nonce>`): such a process is gone, or can only be checked by pid. */
function parse(owner: string): Identity {
  const words = owner.split(' ')
  const [host = '', machine = unknown, boot = unknown, namespace = unknown, pid = '', started = unknown] = words
  if (words.length > 3) return { host, machine, boot, namespace, pid: Number(pid), started }
  const isHere = host === own.host
  return { host, machine: unknown, boot: isHere ? own.boot : unknown, namespace: own.namespace, pid: Number(machine), started: unknown }
}

function stateByStart({ pid, started }: Identity): ProcessState {
  const found = readStat(pid)
  // /proc may be mounted so that it hides the processes of other users.
  if (!found) return exists(pid) ? 'unknown' : 'dead'
  // A zombie has ended; its parent just hasn't collected it.
  return found.started === started && !/^[ZX]$/.test(found.state) ? 'alive' : 'dead'
}

/** Null without such a process or without /proc. */
function readStat(pid: number): { state: string; started: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program name is in parentheses and may contain anything; the third field is the first one after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[22 - 3] ?? '' }
  } catch {
    return null
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function word(read: () => string): string {
  try {
    return read().trim().replaceAll(/\s+/g, '_') || unknown
  } catch {
    return unknown
  }
}
