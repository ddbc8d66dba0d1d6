/** The git processes of a repository or a whole data folder, as the kernel sees them. */
import { readdir, readFile } from 'node:fs/promises'

interface GitProcess {
  pid: number
  /** Its arguments. */
  args: string[]
  /** Private memory, in bytes: what the ceiling counts. */
  data_bytes: number
}

/** Those whose GIT_DIR is this folder or below it, helpers of git included. */
export async function gitProcesses(folder: string): Promise<GitProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => look(pid, folder)))
  return found.filter((process) => process !== null)
}

async function look(pid: string, folder: string): Promise<GitProcess | null> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const environment = (await read('environ')).split('\0')
  if (!environment.some((pair) => pair === `GIT_DIR=${folder}` || pair.startsWith(`GIT_DIR=${folder}/`))) return null
  const data_kib = /^VmData:\s+(\d+) kB$/m.exec(await read('status'))?.[1] ?? 0
  const args = (await read('cmdline')).split('\0').slice(0, -1)
  return { pid: Number(pid), args, data_bytes: Number(data_kib) * 1024 }
}

/** Ends those that outlive a server which was killed. */
export async function killGitBelow(home: string): Promise<void> {
  for (const { pid } of await gitProcesses(home)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

/** Looks at them again and again while the work goes on; gives the most private memory any of them had. */
export async function peakMemory(dir: string, work: () => Promise<unknown>): Promise<number> {
  let peak_bytes = 0
  let ended = false
  const watch = async () => {
    while (!ended) {
      const sizes = (await gitProcesses(dir)).map(({ data_bytes }) => data_bytes)
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
