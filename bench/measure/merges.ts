/** Merge requests of a repository with a long history: their changes, their merges, and pushes to their target, on both engines. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { startPostgres } from '../../tools/postgres.mjs'
import { addBranches, opens, targets, topicCommits, topics, wideFiles, wides } from '../data/merge-repository.ts'
import { commit, describeRepository, generateHistory, givenRepository, importInto } from '../data/repository.ts'
import { createDatabase } from '../databases.ts'
import { type Forge, startForge } from '../forge.ts'
import { git, pause, settledCpu, usedCpu } from '../processes.ts'
import { withToken } from '../reading.ts'
import { atMost, digits, median, printLine, printProgress, type Row } from '../report.ts'
import { manyCommits, onlyEngine, targetPushes } from '../settings.ts'

const project = '/projects/root%2Fmerged'

/** @param given a bare repository of one's own, in place of the generated one */
export async function measureMerges(folder: string, given: string | undefined): Promise<Row[]> {
  printProgress('a long history')
  const history =
    given === undefined
      ? await generateHistory(join(folder, 'long.git'), { commits: manyCommits, file_bytes: 1_024 })
      : givenRepository(given)
  printLine(await describeRepository(history, given === undefined))
  const source = join(folder, 'merged.git')
  await addBranches(history, source)
  const rows = onlyEngine === 'postgres' ? [] : await measureOn('SQLite', folder, source, undefined)
  const postgres = onlyEngine === 'sqlite' ? null : await startPostgres()
  if (!postgres) return rows
  try {
    return [...rows, ...(await measureOn('PostgreSQL', folder, source, await createDatabase(postgres.url, 'merges')))]
  } finally {
    await postgres.stop()
  }
}

async function measureOn(engine: string, folder: string, source: string, database_url: string | undefined): Promise<Row[]> {
  const home = join(folder, `merges-${engine}`)
  mkdirSync(home, { mode: 0o700 })
  const forge = await startForge(home, database_url === undefined ? {} : { database_url })
  try {
    printProgress(`${engine}: pushing the history`)
    await forge.call('POST', '/projects', { name: 'merged' })
    await git(source, 'push', '--quiet', urlOf(forge), 'refs/heads/*:refs/heads/*')
    await settledCpu(forge.pid)
    const plain = await clonePlain(source, join(folder, `plain-${engine}`))
    const rows = [
      ...(await measureChanges(forge)),
      ...(await measureMerging(forge, plain)),
      ...(await measureTargets(forge, source, database_url ?? join(home, 'gitstead.sqlite'))),
    ]
    return rows.map((row) => ({ ...row, what: `${engine}, ${row.what}` }))
  } finally {
    await forge.stop()
  }
}

function urlOf(forge: Forge): string {
  return `${withToken(forge)}/root/merged.git`
}

/** Creates a merge request of each branch and gives their numbers. */
async function createRequests(forge: Forge, branches: string[], target_branch: string): Promise<number[]> {
  const iids: number[] = []
  for (const source_branch of branches) {
    const body = { source_branch, target_branch, title: `Merge ${source_branch}` }
    const { iid } = (await forge.call('POST', `${project}/merge_requests`, body)) as { iid: number }
    iids.push(iid)
  }
  await settledCpu(forge.pid)
  return iids
}

interface Timed {
  times_ms: number[]
  /** The server's processor time for one of them, with that of git. */
  cpu_ms: number
}

/** One after the other. */
async function timeEach<T>(forge: Forge, all: T[], work: (one: T) => Promise<unknown>): Promise<Timed> {
  const before_s = usedCpu(forge.pid)
  const times_ms: number[] = []
  for (const one of all) times_ms.push(await time_ms(() => work(one)))
  return { times_ms, cpu_ms: ((usedCpu(forge.pid) - before_s) * 1_000) / all.length }
}

async function time_ms(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function asRow(what: string, { times_ms, cpu_ms }: Timed, max_ms: number): Row {
  const sorted = [...times_ms].sort((a, b) => a - b)
  const p90_ms = sorted[Math.floor((sorted.length - 1) * 0.9)] ?? Number.NaN
  const ours = `${digits(median(times_ms))} ms (p90 ${digits(p90_ms)} ms, ${digits(cpu_ms)} ms of CPU)`
  return printed({ what, ours, limit: '', ratio: '', ...atMost(median(times_ms), max_ms, 'ms') })
}

/** The table comes at the end: this is for whoever waits. */
function printed(row: Row): Row {
  printProgress([`${row.what}: ${row.ours}`, row.limit, row.ratio].filter((part) => part !== '').join('; '))
  return row
}

const maxFirst_ms = 40
const maxAgain_ms = 10

async function measureChanges(forge: Forge): Promise<Row[]> {
  const iids = await createRequests(forge, wides, 'main')
  printProgress('reading changes')
  const read = (iid: number) => forge.call('GET', `${project}/merge_requests/${iid}/changes`)
  const first = await timeEach(forge, iids, read)
  const again = await timeEach(forge, [...iids, ...iids, ...iids], read)
  const what = `\`changes\` of a merge request of ${wideFiles} files`
  return [asRow(`${what}, the first time`, first, maxFirst_ms), asRow(`${what}, again`, again, maxAgain_ms)]
}

/** A bare repository of git alone, and a clone of it with a working tree. */
async function clonePlain(source: string, dir: string): Promise<string> {
  await git('/', 'clone', '--quiet', '--bare', source, `${dir}.git`)
  await git('/', 'clone', '--quiet', '--branch', 'main', `file://${dir}.git`, dir)
  for (const [setting, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.com'],
  ] as const)
    await git(dir, 'config', setting, value)
  return dir
}

const maxMerge_ms = 150
const maxMergeRatio = 1.2

async function measureMerging(forge: Forge, plain: string): Promise<Row[]> {
  const iids = await createRequests(forge, topics, 'main')
  printProgress('merging')
  const ours: Timed = { times_ms: [], cpu_ms: 0 }
  const theirs_ms: number[] = []
  for (const [index, topic] of topics.entries()) {
    const merged = await timeEach(forge, [iids[index]], (iid) => forge.call('PUT', `${project}/merge_requests/${iid}/merge`))
    ours.times_ms.push(...merged.times_ms)
    ours.cpu_ms += merged.cpu_ms / topics.length
    theirs_ms.push(
      await time_ms(async () => {
        await git(plain, 'merge', '--quiet', '--no-ff', '-m', `Merge ${topic}`, `origin/${topic}`)
        await git(plain, 'push', '--quiet', 'origin', 'main')
      }),
    )
  }
  const [all_ms, allTheirs_ms] = [sum(ours.times_ms), sum(theirs_ms)]
  return [
    asRow(`merging ${topicCommits} commits`, ours, maxMerge_ms),
    printed({
      what: `${topics.length} merges one after another`,
      ours: `${digits(all_ms / 1_000)} s`,
      limit: `\`git merge\` and \`git push\`: ${digits(allTheirs_ms / 1_000)} s`,
      ratio: digits(all_ms / allTheirs_ms),
      ...atMost(all_ms / allTheirs_ms, maxMergeRatio),
    }),
  ]
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const maxTargetRatio = 1.3

/** In turn to a branch that many merge requests target, and to one that none targets. */
async function measureTargets(forge: Forge, source: string, location: string): Promise<Row[]> {
  const iids = await createRequests(forge, opens, targets.busy)
  printProgress('pushing to targets')
  const times_ms = { busy: [] as number[], quiet: [] as number[] }
  let refreshed_ms = 0
  for (let round = 0; round < targetPushes; round += 1) {
    for (const side of round % 2 === 0 ? (['busy', 'quiet'] as const) : (['quiet', 'busy'] as const)) {
      const branch = targets[side]
      const tip = await git(source, 'rev-parse', branch)
      await importInto(source, () => [commit(branch, round + 1, [[`${branch}.txt`, tip]], tip)])
      times_ms[side].push(await time_ms(() => git(source, 'push', '--quiet', urlOf(forge), branch)))
      if (side === 'busy' && round === 0) refreshed_ms = await time_ms(() => untilFresh(location, source))
      await settledCpu(forge.pid)
    }
  }
  const [busy_ms, quiet_ms] = [median(times_ms.busy), median(times_ms.quiet)]
  return [
    printed({
      what: `a push to a branch that ${iids.length} open merge requests target`,
      ours: `${digits(busy_ms)} ms`,
      limit: `a push to a branch without: ${digits(quiet_ms)} ms`,
      ratio: digits(busy_ms / quiet_ms),
      ...atMost(busy_ms / quiet_ms, maxTargetRatio),
    }),
    printed({
      what: 'until all of them have been checked again, by the queue',
      ours: `${digits(refreshed_ms / 1_000)} s`,
      limit: '',
      ratio: '',
    }),
  ]
}

/** Waits until the merges into the busy branch have been tried with its tip. */
async function untilFresh(location: string, source: string): Promise<void> {
  const tip = await git(source, 'rev-parse', targets.busy)
  const db = openDatabase(location)
  try {
    const stale = () =>
      db
        .selectFrom('merge_requests')
        .select('id')
        .where('target_branch', '=', targets.busy)
        .where('checked_target_oid', 'is distinct from', tip)
        .limit(1)
        .executeTakeFirst()
    while (await stale()) await pause(100)
  } finally {
    await db.destroy()
  }
}
