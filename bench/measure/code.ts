/** Searches in code: in one long history beside `git grep`, and by the index in very many repositories. */
import { mkdirSync, rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { commit, type File, generateHistory, importInto, randomNumbers } from '../data/repository.ts'
import { type Forge, startForge } from '../forge.ts'
import type { Latency, Steady } from '../probes/steady.ts'
import { git, pause, runScript, settledCpu, usedCpu } from '../processes.ts'
import { withToken } from '../reading.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { codeRepositories, codeRounds, codeText_bytes, manyCommits } from '../settings.ts'

export async function measureCode(folder: string): Promise<Row[]> {
  const home = join(folder, 'code')
  mkdirSync(home, { mode: 0o700 })
  const forge = await startForge(home)
  try {
    return [...(await measureOne(forge, folder)), ...(await measureAll(forge, folder, home))]
  } finally {
    await forge.stop()
  }
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

const max_ms = 100
const maxIndex = 0.4
/** One file of each of these repositories has a word that no other has. */
const searches = 50

async function measureAll(forge: Forge, folder: string, home: string): Promise<Row[]> {
  const location = join(home, 'gitstead.sqlite')
  const pushed = await pushAll(forge, folder)
  printProgress('waiting for the index')
  const cpu_s = usedCpu(forge.pid)
  const began = performance.now()
  await untilIndexed(location)
  await settledCpu(forge.pid)
  const took_s = (performance.now() - began) / 1_000
  const index_bytes = await sizeOf(join(home, 'code-index'))
  const share = index_bytes / pushed.text_bytes
  const text = `${codeRepositories.toLocaleString('en')} repositories with ${digits(pushed.text_bytes / 1e9)} GB of text`
  const rows: Row[] = [
    {
      what: `index of ${text}`,
      ours: `${digits(index_bytes / 1e6)} MB`,
      limit: '',
      ratio: digits(share),
      ...atMost(share, maxIndex),
    },
    {
      what: 'until the index had read the last push',
      ours: `${digits(took_s)} s, ${digits(usedCpu(forge.pid) - cpu_s)} s of CPU`,
      limit: '',
      ratio: '',
    },
  ]
  const places = Array.from({ length: searches }, (_, index) => Math.floor((index * codeRepositories) / searches))
  for (const [what, words] of [
    ['a rare word', places.map(needle)],
    ['a word of all files', ['function', 'return']],
    ['no file', places.map((index) => `nowhere${index}`)],
  ] as const) {
    printProgress(`searching: ${what}`)
    const latency = await runScript<Steady, Latency>('steady.ts', {
      urls: words.map((word) => `${forge.url}/api/v4/search?scope=blobs&search=${word}`),
      headers: { 'private-token': forge.token },
      rate_per_s: 5,
      duration_s: codeRounds,
    })
    rows.push({
      what: `\`blobs\` of everything, ${what}: p90`,
      ours: `${digits(latency.p90_ms)} ms (p50 ${digits(latency.p50_ms)} ms)`,
      limit: '',
      ratio: '',
      ...atMost(latency.p90_ms, max_ms, 'ms'),
    })
  }
  return [...rows, ...(await measureUpkeep(forge, pushed.last))]
}

const needle = (index: number) => `needle${index}haystack`

interface Pushed {
  text_bytes: number
  /** The repository that was pushed last. */
  last: string
}

async function pushAll(forge: Forge, folder: string): Promise<Pushed> {
  const random = randomNumbers(4)
  const words = Array.from({ length: 60_000 }, () => wordOf(random))
  let text_bytes = 0
  let last = ''
  for (let number = 0; number < codeRepositories; number += 1) {
    if (number % 100 === 0) printProgress(`repository ${number} of ${codeRepositories}`)
    const dir = join(folder, `code-${number}.git`)
    await git('/', 'init', '--quiet', '--bare', '--initial-branch=main', dir)
    await importInto(dir, () => [commit('main', 0, [...filesOf(number, random, words)])])
    text_bytes += codeText_bytes
    await forge.call('POST', '/projects', { name: `code-${number}` })
    await git(dir, 'push', '--quiet', `${withToken(forge)}/root/code-${number}.git`, 'main')
    if (last !== '') rmSync(last, { recursive: true })
    last = dir
  }
  return { text_bytes, last }
}

const file_bytes = 16 * 1024

function* filesOf(number: number, random: () => number, words: string[]): Generator<File> {
  for (let file = 0; file * file_bytes < codeText_bytes; file += 1) {
    const first = file === 0 ? `// ${needle(number)}\n` : ''
    yield [`src/part-${file % 20}/file-${file}.ts`, first + sourceText(random, words)]
  }
}

/** Made-up identifiers, the first of them often, as in source code. */
function wordOf(random: () => number): string {
  const syllables = [
    'get',
    'set',
    'add',
    'Item',
    'List',
    'node',
    'Map',
    'key',
    'Value',
    'read',
    'Open',
    'ref',
    'Pack',
    'tree',
    'merge',
    'diff',
  ]
  const count = 1 + Math.floor(random() * 3)
  const letters = Math.floor(random() * 36 ** 3).toString(36)
  return Array.from({ length: count }, () => syllables[Math.floor(random() * syllables.length)]).join('') + letters
}

function sourceText(random: () => number, words: string[]): string {
  let made = ''
  while (made.length < file_bytes) {
    const word = () => words[Math.floor(random() ** 4 * words.length)]
    made += `export function ${word()}(${word()}: ${word()}): ${word()} {\n  return ${word()}.${word()}(${word()}, ${Math.floor(random() * 100)})\n}\n`
  }
  return made
}

async function untilIndexed(location: string): Promise<void> {
  const db = openDatabase(location)
  try {
    const behind = () => db.selectFrom('code_projects').select('project_id').whereRef('wanted', '>', 'done').limit(1).executeTakeFirst()
    while (await behind()) await pause(500)
  } finally {
    await db.destroy()
  }
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0
  for (const name of await readdir(folder)) size += (await stat(join(folder, name))).size
  return size
}

/** Pushes to the branch that is indexed and to another one in turn: what they differ by is the index, and all else of default branches. */
async function measureUpkeep(forge: Forge, dir: string): Promise<Row[]> {
  const times_ms = { main: [] as number[], topic: [] as number[] }
  const project = `${withToken(forge)}/root/code-${codeRepositories - 1}.git`
  const head = await git(dir, 'rev-parse', 'main')
  for (let round = 0; round < codeRounds; round += 1) {
    for (const branch of round % 2 === 0 ? (['main', 'topic'] as const) : (['topic', 'main'] as const)) {
      const from = round === 0 ? head : await git(dir, 'rev-parse', branch)
      await importInto(dir, () => [commit(branch, round + 1, [[`${branch}.txt`, String(round)]], from)])
      const began = performance.now()
      await git(dir, 'push', '--quiet', project, branch)
      times_ms[branch].push(performance.now() - began)
      await settledCpu(forge.pid)
    }
  }
  const [main, topic] = [median(times_ms.main), median(times_ms.topic)]
  return [
    {
      what: 'a push to a branch that is indexed',
      ours: `${digits(main)} ms`,
      limit: `to another branch: ${digits(topic)} ms`,
      ratio: digits(main / topic),
    },
  ]
}
