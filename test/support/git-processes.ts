/** The git processes of a repository or a data folder, from the kernel. */
import { processIds, readProc } from './proc.ts'

interface GitProcess {
  pid: number
  /** Its arguments. */
  args: string[]
  /** Private memory, in bytes: what the memory limit counts. */
  data_bytes: number
}

/**
 * Processes whose GIT_DIR is this folder or below it, including git's helpers. Read synchronously: tests poll this, and in the thread pool
 * each call took a tenth of a second of processor time.
 */
export function gitProcesses(folder: string): GitProcess[] {
  return processIds().flatMap((pid) => look(pid, folder) ?? [])
}

function look(pid: string, folder: string): GitProcess | null {
  const environment = `\0${readProc(`${pid}/environ`)}\0`
  if (!environment.includes(`\0GIT_DIR=${folder}\0`) && !environment.includes(`\0GIT_DIR=${folder}/`)) return null
  const data_kib = /^VmData:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))?.[1] ?? 0
  const args = readProc(`${pid}/cmdline`).split('\0').slice(0, -1)
  return { pid: Number(pid), args, data_bytes: Number(data_kib) * 1024 }
}

/** Kills those that outlive a killed server. */
export function killGitBelow(home: string): void {
  for (const { pid } of gitProcesses(home)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
}

/** Polls them while the work runs; returns the maximum private memory of any of them. */
export async function peakMemory(dir: string, work: () => Promise<unknown>): Promise<number> {
  let peak_bytes = 0
  let ended = false
  const watch = async () => {
    while (!ended) {
      const sizes = gitProcesses(dir).map(({ data_bytes }) => data_bytes)
      peak_bytes = Math.max(peak_bytes, ...sizes)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const watching = watch()
  try {
    await work()
  } finally {
    ended = true
    await watching
  }
  return peak_bytes
}
