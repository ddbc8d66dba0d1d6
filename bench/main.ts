/** Measures a running Gitstead, each row of the table against its own limit in the same run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeRepository, generateHistory, generateWideRoot, givenRepository } from './data/repository.ts'
import { type Forge, measureStart, startForge } from './forge.ts'
import { makeSshKey } from './limits/ssh.ts'
import { measureApi } from './measure/api.ts'
import { measureBytes } from './measure/bytes.ts'
import { measureCi, measureCiLists } from './measure/ci.ts'
import { measureClients } from './measure/clients.ts'
import { measureCode } from './measure/code.ts'
import { measureCodeIndex } from './measure/code-index.ts'
import { measureCost } from './measure/cost.ts'
import { measureGit } from './measure/git.ts'
import { measureHooks } from './measure/hooks.ts'
import { measureLarge } from './measure/large.ts'
import { measureLists } from './measure/lists.ts'
import { measureMail } from './measure/mail.ts'
import { measureMerges } from './measure/merges.ts'
import { measureNewcomers } from './measure/newcomers.ts'
import { measurePages } from './measure/pages.ts'
import { measurePlanning } from './measure/planning.ts'
import { measureProcesses } from './measure/processes.ts'
import { measureReview } from './measure/review.ts'
import { measureSearch } from './measure/search.ts'
import { measureSignIns } from './measure/sign-ins.ts'
import { measureSnippets } from './measure/snippets.ts'
import { measureStall } from './measure/stall.ts'
import { measureSteady } from './measure/steady.ts'
import { measureWikis } from './measure/wikis.ts'
import { megabytes, resident, root } from './processes.ts'
import { atMost, describeMachine, printLine, printTable, type Row } from './report.ts'
import { buildThreefold } from './threefold.ts'

const folder = mkdtempSync(join(tmpdir(), 'gitstead-bench-'))
/** The groups of measurements, in this order: all of them, or those that the command line names (`--lists --cost`). */
const groups = {
  /** Start, memory, reads, transfers, large files, sign-ins and stalls of one server. */
  rows: () => bench(positionals[0]),
  /** Clones and pushes alone: what is worth the time on a large repository. */
  wire: () => benchWire(positionals[0]),
  /** The processor time of reads. */
  cost: () => measureReads(positionals[0]),
  /** Lists of people and spaces, on both engines. */
  lists: () => measureLists(folder),
  /** Lists of issues and what belongs to them, beside a million of others. To fill the forges takes minutes: only where it is named. */
  planning: () => measurePlanning(folder),
  /** Lists of merge requests; and their changes and merges in a long history. */
  review: async () => [...(await measureReview(folder)), ...(await measureMerges(folder, positionals[0]))],
  /** Lists of snippets, beside a hundredth of them. */
  snippets: () => measureSnippets(folder),
  /** The last part of it alone. */
  merges: () => measureMerges(folder, positionals[0]),
  /** Pages of a wiki with 10,000 of them, on both engines. */
  wikis: () => measureWikis(folder),
  /** Webhooks: their log, what they add to a push, and receivers of which some hang, on both engines. */
  hooks: () => measureHooks(folder),
  /** Mail: an issue with 10,000 subscribers, on both engines. */
  mail: () => measureMail(folder),
  /** Searches in texts on both engines, and in code. */
  search: () => measureSearch(folder),
  /** The last part of it alone. */
  code: () => measureCode(folder),
  /** The last part of that alone. */
  'code-index': () => measureCodeIndex(folder),
  /** Runners, traces, pipelines and artifacts; and lists of pipelines and jobs among a million of others. */
  ci: async () => [...(await measureCi(folder)), ...(await measureCiLists(folder))],
  /** The last part of it alone. */
  'ci-lists': () => measureCiLists(folder),
  /** Requests that clients poll with, and the cost of quotas for a push, on both engines. */
  clients: () => measureClients(folder),
  /** New connections to a busy server, and several processes. */
  crowd: () => measureCrowd(),
  /** The budgets of pages, with Chromium where there is one. */
  pages: () => measurePages(folder),
}
type Group = keyof typeof groups
const inEveryRun: Group[] = ['rows', 'cost', 'lists', 'crowd', 'pages']
const names = Object.keys(groups) as Group[]
const { values, positionals } = parseArgs({
  options: Object.fromEntries(names.map((name) => [name, { type: 'boolean' as const, default: false }])),
  allowPositionals: true,
})
try {
  printLine(describeMachine())
  printTable(await measure())
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function measure(): Promise<Row[]> {
  const named = names.filter((name) => values[name])
  const rows: Row[] = []
  for (const name of named.length > 0 ? named : inEveryRun) rows.push(...(await groups[name]()))
  return rows
}

async function measureReads(given: string | undefined): Promise<Row[]> {
  const repository = given === undefined ? await generateHistory(join(folder, 'cost-history.git')) : givenRepository(given)
  return measureCost(folder, repository, await generateWideRoot(join(folder, 'cost-wide.git')))
}

async function bench(given: string | undefined): Promise<Row[]> {
  const repository = await historyOf(given)
  const starts = await measureStarts()
  const forge = await startForge(join(folder, 'home'), { probed: true })
  try {
    return [...starts, ...(await measureAll(forge, repository))]
  } finally {
    await forge.stop()
  }
}

async function benchWire(given: string | undefined): Promise<Row[]> {
  const repository = await historyOf(given)
  const forge = await startForge(join(folder, 'wire'), { probed: true })
  try {
    return (await measureGit(forge, repository, folder, await makeSshKey(forge, folder))).rows
  } finally {
    await forge.stop()
  }
}

async function historyOf(given: string | undefined): Promise<string> {
  const repository = given === undefined ? await generateHistory(join(folder, 'history.git')) : givenRepository(given)
  printLine(await describeRepository(repository, given === undefined))
  return repository
}

async function measureAll(forge: Forge, repository: string): Promise<Row[]> {
  const key = await makeSshKey(forge, folder)
  const git = await measureGit(forge, repository, folder, key)
  const wide = await generateWideRoot(join(folder, 'wide.git'))
  return [
    ...(await measureApi(forge, repository, wide)),
    ...git.rows,
    ...(await measureSteady(forge, repository, 'root/read')),
    ...(await measureBytes(forge, repository, 'root/read', folder)),
    ...(await measureLarge(forge, folder)),
    await measureSignIns(forge, key.file),
    await measureStall(forge, git.cloned, folder),
    measurePeak(forge),
  ]
}

async function measureStarts(): Promise<Row[]> {
  const now = { what: '', program: root, max_s: 1.2, max_mb: 125 }
  const threefold = { ...now, what: ', with a registry three times as long', program: await buildThreefold(folder) }
  return [...(await measureStart(folder, now)), ...(await measureStart(folder, threefold))]
}

function measurePeak(forge: Forge): Row {
  const [peak, now] = [resident(forge.pid, 'VmHWM'), resident(forge.pid, 'VmRSS')]
  return {
    what: 'memory at its peak, after everything',
    ours: `${megabytes(peak)}, now ${megabytes(now)}`,
    limit: '',
    ratio: '',
    ...atMost(peak / 1e6, 300, 'MB'),
  }
}

/** Measured by reads of a list that take a third of a millisecond: with 170 readers a turn of the event loop took 50. */
async function measureCrowd(): Promise<Row[]> {
  const forge = await startForge(join(folder, 'crowd'))
  try {
    await forge.call('POST', '/projects', { name: 'only' })
    return [...(await measureNewcomers(forge, '/projects?per_page=20')), ...(await measureProcesses(folder))]
  } finally {
    await forge.stop()
  }
}
