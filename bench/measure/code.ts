/** Searches in code: in one long history beside `git grep`, and by the index in very many repositories. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { generateHistory } from '../data/repository.ts'
import { type Forge, startForge } from '../forge.ts'
import { git } from '../processes.ts'
import { withToken } from '../reading.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { codeRounds, manyCommits } from '../settings.ts'
import { measureCodeIndex } from './code-index.ts'

export async function measureCode(folder: string): Promise<Row[]> {
  const home = join(folder, 'code')
  mkdirSync(home, { mode: 0o700 })
  const forge = await startForge(home)
  const rows: Row[] = []
  try {
    rows.push(...(await measureOne(forge, folder)))
  } finally {
    await forge.stop()
  }
  return [...rows, ...(await measureCodeIndex(folder))]
}

const maxRatio = 1.5

/** A word in each file of a long history, and one in few, in turn with `git grep` itself. */
async function measureOne(forge: Forge, folder: string): Promise<Row[]> {
  printProgress('a long history')
  const source = await generateHistory(join(folder, 'grep.git'), { commits: manyCommits, file_bytes: 1_024 })
  await forge.call('POST', '/projects', { name: 'grepped' })
  await git(source, 'push', '--quiet', `${withToken(forge)}/root/grepped.git`, 'main')
  await forge.settled()
  const rows: Row[] = []
  for (const [what, word] of [
    ['a rare word', await rareWord(source)],
    ['no file', 'nowhere-at-all'],
  ] as const) {
    const [ours_ms, theirs_ms]: [number[], number[]] = [[], []]
    for (let round = 0; round < codeRounds; round += 1) {
      // Each time another text of the same cost: answers are not kept.
      const began = performance.now()
      await forge.call('GET', `/projects/root%2Fgrepped/search?scope=blobs&search=${word}`)
      ours_ms.push(performance.now() - began)
      const then = performance.now()
      await git(source, 'grep', '-i', '-I', '-n', '-F', '-C2', '-e', word, 'main').catch(() => {})
      theirs_ms.push(performance.now() - then)
    }
    const [ours, theirs] = [median(ours_ms), median(theirs_ms)]
    rows.push({
      what: `\`blobs\` of a project of ${manyCommits.toLocaleString('en')} commits, ${what}`,
      ours: `${digits(ours)} ms`,
      limit: `\`git grep\`: ${digits(theirs)} ms`,
      ratio: digits(ours / theirs),
      ...atMost(ours / theirs, maxRatio),
    })
  }
  return rows
}

/** The longest word of a file: few others have it. */
async function rareWord(dir: string): Promise<string> {
  const content = await git(dir, 'show', 'main:src/part-0/file-0.ts')
  return content.split(/\s+/).reduce((found, word) => (word.length > found.length ? word : found), '')
}
