/** Reads information on processes from /proc. Linux only; elsewhere nothing is found. */
import { readdirSync, readFileSync } from 'node:fs'

/** The ids of all processes. */
export function processIds(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

/** The ids of the processes that one has started, which may be `self`. */
export function childrenOf(pid: string): string[] {
  return tasksOf(pid).flatMap((task) => readProc(`${pid}/task/${task}/children`).split(' ').filter(Boolean))
}

/** The ids of all processes below one, which may be `self`. */
export function descendants(pid: string): string[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)])
}

function tasksOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Empty for a process that has ended, and if there is no such file. */
export function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}
