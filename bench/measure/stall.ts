/** How long the server leaves everybody waiting while four clones are served at once. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Forge } from '../forge.ts'
import { git } from '../processes.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { minGitRounds } from '../settings.ts'

const clones = 4

/** @param url of the repository to clone */
export async function measureStall(forge: Forge, url: string, folder: string): Promise<Row> {
  printProgress(`${clones} clones at once`)
  const stalls: number[] = []
  for (let round = 0; round < minGitRounds; round += 1) {
    await forge.longestStall()
    await Promise.all(Array.from({ length: clones }, (_, number) => cloneOnce(url, join(folder, `at-once-${number}.git`))))
    stalls.push(await forge.longestStall())
  }
  const worst = Math.max(...stalls)
  return {
    what: `longest stall of the event loop, ${clones} clones at once`,
    ours: `${digits(worst)} ms (median of ${stalls.length} runs ${digits(median(stalls))} ms)`,
    limit: '',
    ratio: '',
    ...atMost(worst, 50, 'ms'),
  }
}

async function cloneOnce(url: string, dir: string): Promise<void> {
  await git('/', 'clone', '--quiet', '--bare', url, dir)
  await rm(dir, { recursive: true, force: true })
}
