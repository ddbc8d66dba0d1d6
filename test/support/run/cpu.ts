/** Processor time of a test file, including all processes it started and waited for. Linux only. */
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'
import { forkServer } from '../../../src/git/process/fork-server-client.ts'
import { descendants, readProc } from '../proc.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file in seconds, without loading it. */
    cpu_s?: number
    cpu_budget_s?: number
    /** The part of the fork server and of the browser, with all below them, for which nobody waits when the worker ends. */
    forked_s?: number
  }
}

const budgets = new Map<string, number>()

/** For the top of a test file that needs more than 5 s of processor time in the gate: how many seconds, and why. */
export function cpuBudget(seconds: number, reason: string): void {
  if (reason === '') throw new Error('Say what the processor time is for')
  budgets.set(expect.getState().testPath ?? '', seconds)
}

export function cpuBudgetOf(path: string): number | undefined {
  return budgets.get(path)
}

/** `sysconf(_SC_CLK_TCK)`, which is 100 on every Linux. */
const ticksPerSecond = 100

interface CpuTimes {
  own_s: number
  children_s: number
  system_s: number
}

/** Processor time of this process and its descendants so far, if the system reports it. */
export function cpuTime_ms(): number {
  if (process.platform === 'linux') {
    const { own_s, children_s } = readTimes()
    return (own_s + children_s) * 1000
  }
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Measures the processor time of this process. The returned function gives the milliseconds since the start, which don't depend on the load
 * of the machine: for limits on pure functions.
 */
export function measureComputing(): () => number {
  const before = process.cpuUsage()
  return () => process.cpuUsage(before).user / 1000
}

/** Ids of processes that several test files share, besides the fork server, which `measureForked` adds. */
const lasting = new Set<string>()

/** For a process that test files share, and for which nobody waits when the worker ends. */
export function outlivesFiles(pid: string): void {
  lasting.add(pid)
}

/** Measures the processor time of the fork server and of other processes that outlive test files, with all below them, in seconds. */
export function measureForked(): () => number {
  const before = lastingTimes_s()
  // One that was started meanwhile starts at zero, and what has become of one that ended meanwhile is unknown.
  return () => [...lastingTimes_s()].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0)
}

function lastingTimes_s(): Map<string, number> {
  const { pid: forking } = forkServer()
  const roots = [...lasting, ...(forking === null ? [] : [String(forking)])].filter((pid) => timesOf(pid) !== null)
  return new Map(roots.map((pid) => [pid, [pid, ...descendants(pid)].reduce((sum, one) => sum + totalOf(one), 0)]))
}

/** Seconds of a process and of the children it has waited for; 0 if it has ended. */
function totalOf(pid: string): number {
  const times = timesOf(pid)
  return times ? times.user + times.system + times.childUser + times.childSystem : 0
}

/** Starts a measurement. The returned function gives the processor time since then, and the seconds that passed. */
export function measureCpu(): () => CpuTimes & { wall_s: number } {
  const before = readTimes()
  const started_ms = performance.now()
  return () => {
    const after = readTimes()
    return {
      own_s: after.own_s - before.own_s,
      children_s: after.children_s - before.children_s,
      system_s: after.system_s - before.system_s,
      wall_s: (performance.now() - started_ms) / 1000,
    }
  }
}

/**
 * The seconds that count against the budget of a file: without loading it, as shared imports are loaded by the first file of a worker. If
 * GITSTEAD_TEST_CPU names a file, a line is appended there: these seconds, and those with loading: total, wall, own, children's, system.
 */
export function reportCpu(withLoading: ReturnType<ReturnType<typeof measureCpu>>, { own_s, children_s }: CpuTimes): number {
  const report = process.env.GITSTEAD_TEST_CPU
  if (report) {
    const { own_s: own, children_s: children, system_s: system, wall_s: wall } = withLoading
    const numbers = [own_s + children_s, own + children, wall, own, children, system].map((seconds) => seconds.toFixed(2))
    const file = relative(process.cwd(), expect.getState().testPath ?? '')
    appendFileSync(report, `${[...numbers, process.env.GITSTEAD_TEST_ENGINE ?? 'sqlite', file].join('\t')}\n`)
  }
  return own_s + children_s
}

/** Times of this process and of all its descendants that run or were waited for: the fork server outlives single tests. */
function readTimes(): CpuTimes {
  const own = timesOf('self')
  if (!own) return { own_s: 0, children_s: 0, system_s: 0 }
  const below = descendants('self')
  const system = (pid: string) => {
    const times = timesOf(pid)
    return times ? times.system + times.childSystem : 0
  }
  return {
    own_s: own.user + own.system,
    children_s: below.reduce((sum, pid) => sum + totalOf(pid), own.childUser + own.childSystem),
    system_s: below.reduce((sum, pid) => sum + system(pid), own.system + own.childSystem),
  }
}

/** Fields 14 to 17 of proc_pid_stat(5), in seconds: user and system time of a process, and of the children it has waited for. */
function timesOf(pid: string) {
  const text = readProc(`${pid}/stat`)
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / ticksPerSecond)
  const [user, system, childUser, childSystem] = fields
  if (user === undefined || system === undefined || childUser === undefined || childSystem === undefined) return null
  return { user, system, childUser, childSystem }
}
