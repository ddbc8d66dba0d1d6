/** The git processes of a server, which outlive it when it is killed. */
import { readdir, readFile } from 'node:fs/promises'

/** Ends every process that works on a repository of this data folder. */
export async function killGitBelow(home: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (!environment.includes(`GIT_DIR=${home}`)) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
