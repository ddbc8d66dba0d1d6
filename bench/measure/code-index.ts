/** Searches by the index of code in very many repositories, as it grows to its size: rows, the index, and what it adds to a push. */
import { mkdirSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { codePusher, needle } from '../data/code.ts'
import { commit, importInto } from '../data/repository.ts'
import { type Forge, startForge } from '../forge.ts'
import type { Latency, Steady } from '../probes/steady.ts'
import { git, pause, runScript, settledCpu, usedCpu } from '../processes.ts'
import { withToken } from '../reading.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { codeRepositories, codeRounds, codeSearch_s, codeText_bytes, generatedCode_bytes } from '../settings.ts'

/** Parts of the whole at which everything is searched, so that one sees how it grows. */
const stages = [0.1, 0.3, 1]

export async function measureCodeIndex(folder: string): Promise<Row[]> {
  const home = join(folder, 'code-index')
  mkdirSync(home, { mode: 0o700 })
  const forge = await startForge(home)
  try {
    const pusher = codePusher(forge, folder, codeText_bytes)
    const rows: Row[] = []
    for (const stage of stages) {
      const count = Math.ceil(codeRepositories * stage)
      printProgress(`${count} of ${codeRepositories} repositories`)
      await pusher.until(count)
      rows.push(...(await measureAt(forge, home, count)))
    }
    rows.push(...(await measureUpkeep(forge, pusher.last)))
    printProgress('generated lines')
    await pusher.generated(generatedCode_bytes)
    await untilIndexed(home)
    const text = `${digits(generatedCode_bytes / 1e6)} MB of generated lines beside them`
    rows.push(await measureSearch(forge, text, 'a word of one of them', searchesFor(['g7x'])))
    return rows
  } finally {
    await forge.stop()
  }
}

const max_ms = 100
const maxOfExpression_ms = 300
const maxIndex = 0.4
/** One file of each of these repositories has a word that no other has. */
const searches = 50

async function measureAt(forge: Forge, home: string, count: number): Promise<Row[]> {
  const cpu_s = usedCpu(forge.pid)
  const began = performance.now()
  await untilIndexed(home)
  await settledCpu(forge.pid)
  const took_s = (performance.now() - began) / 1_000
  const text_bytes = count * codeText_bytes
  const index_bytes = await sizeOf(join(home, 'code-index'))
  const text = `${count.toLocaleString('en')} repositories, ${digits(text_bytes / 1e9)} GB`
  const rows: Row[] = [
    {
      what: `${text}: index`,
      ours: `${digits(index_bytes / 1e6)} MB`,
      limit: '',
      ratio: digits(index_bytes / text_bytes),
      ...atMost(index_bytes / text_bytes, maxIndex),
    },
    {
      what: `${text}: until the index had read the last push`,
      ours: `${digits(took_s)} s, ${digits(usedCpu(forge.pid) - cpu_s)} s of CPU`,
      limit: '',
      ratio: '',
    },
  ]
  const places = Array.from({ length: Math.min(searches, count) }, (_, index) => Math.floor((index * count) / searches))
  for (const [what, queries, most_ms] of searchesIn(places)) rows.push(await measureSearch(forge, text, what, queries, most_ms))
  return rows
}

type Search = [what: string, queries: string[], most_ms?: number]

function searchesIn(places: number[]): Search[] {
  return [
    ['a rare word', searchesFor(places.map(needle))],
    ['a word of all files', searchesFor(['function', 'return'])],
    ['three words, rare', searchesFor(places.map((place) => `${needle(place)} is here`))],
    ['three words, frequent', searchesFor(['export function get', 'export function read'])],
    ['a word with `path:`', searchesFor(['function path:src/part-7', 'return path:part-19/'])],
    ['a word with `filename:`', searchesFor(['function filename:file-17.ts', 'return filename:file-3*.ts'])],
    ['a word with `extension:`', searchesFor(['function extension:ts', 'return extension:c'])],
    ['no file', searchesFor(places.map((place) => `nowhere${place}`))],
    ['an expression, rare', expressions(places.map((place) => `needle${place}ha(y|z)\\w+k`)), maxOfExpression_ms],
    ['an expression, frequent', expressions(['func\\w+ get\\w+\\(', 'return \\w+\\.merge\\w*']), maxOfExpression_ms],
    [
      'an expression that most files may have and none has',
      expressions(['function \\w+ return', 'return\\d+ function']),
      maxOfExpression_ms,
    ],
  ]
}

const searchesFor = (texts: string[]) => texts.map((text) => `search=${encodeURIComponent(text)}`)
const expressions = (texts: string[]) => searchesFor(texts).map((query) => `${query}&regex=true`)

async function measureSearch(forge: Forge, text: string, what: string, queries: string[], most_ms = max_ms): Promise<Row> {
  printProgress(`${text}: ${what}`)
  const latency = await runScript<Steady, Latency>('steady.ts', {
    urls: queries.map((query) => `${forge.url}/api/v4/search?scope=blobs&${query}`),
    headers: { 'private-token': forge.token },
    rate_per_s: 5,
    duration_s: codeSearch_s,
  })
  const row: Row = {
    what: `${text}: ${what}, p90`,
    ours: `${digits(latency.p90_ms)} ms (p50 ${digits(latency.p50_ms)} ms)`,
    limit: '',
    ratio: '',
    ...atMost(latency.p90_ms, most_ms, 'ms'),
  }
  // The table comes after many minutes: this is for whoever waits.
  printProgress(`${row.what}: ${row.ours}`)
  return row
}

async function untilIndexed(home: string): Promise<void> {
  const db = openDatabase(join(home, 'gitstead.sqlite'))
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

const maxFound_s = 2

/**
 * Pushes to the branch that is indexed and to another one in turn: what they differ by is the index, and all else of default branches. How
 * long it takes until the first is found, too.
 */
async function measureUpkeep(forge: Forge, { dir, name }: { dir: string; name: string }): Promise<Row[]> {
  printProgress('pushes')
  const times_ms = { main: [] as number[], topic: [] as number[] }
  const found_s: number[] = []
  const project = `${withToken(forge)}/root/${name}.git`
  const head = await git(dir, 'rev-parse', 'main')
  for (let round = 0; round < codeRounds; round += 1) {
    for (const branch of round % 2 === 0 ? (['main', 'topic'] as const) : (['topic', 'main'] as const)) {
      const from = round === 0 ? head : await git(dir, 'rev-parse', branch)
      const word = `pushed${round}to${branch}`
      await importInto(dir, () => [commit(branch, round + 1, [[`${branch}.txt`, `${word}\n`]], from)])
      const began = performance.now()
      await git(dir, 'push', '--quiet', project, branch)
      times_ms[branch].push(performance.now() - began)
      if (branch === 'main') found_s.push(await untilFound(forge, word))
      await settledCpu(forge.pid)
    }
  }
  const [main, topic] = [median(times_ms.main), median(times_ms.topic)]
  const slowest_s = Math.max(...found_s)
  return [
    {
      what: 'a push to a branch that is indexed',
      ours: `${digits(main)} ms`,
      limit: `to another branch: ${digits(topic)} ms`,
      ratio: digits(main / topic),
    },
    {
      what: 'from the end of a push until a search finds it: the slowest',
      ours: `${digits(slowest_s)} s (p50 ${digits(median(found_s))} s)`,
      limit: '',
      ratio: '',
      ...atMost(slowest_s, maxFound_s, 's'),
    },
  ]
}

async function untilFound(forge: Forge, word: string): Promise<number> {
  const began = performance.now()
  const found = async () => ((await forge.call('GET', `/search?scope=blobs&search=${word}`)) as unknown[]).length > 0
  while (!(await found())) await pause(50)
  return (performance.now() - began) / 1_000
}
