/** Lists of planning, on both engines, beside the same lists of a forge with a hundredth of the rows; and what creating costs. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../tools/postgres.mjs'
import { type Forge, startForge } from './forge.ts'
import { asLatencyRow, createDatabase, onServer } from './measure-lists.ts'
import { member } from './people.ts'
import { fillPlanning, largePlanning, type Planned, type PlanningSize, smallPlanning } from './planning.ts'
import { pause, runScript } from './processes.ts'
import { atMost, digits, printProgress, type Row } from './report.ts'
import { created, lists_s, quick, rate_per_s, writes_per_s } from './settings.ts'
import type { SideBySide, Writes } from './side-by-side.ts'
import type { Latency } from './steady.ts'

/** A forge, what is looked at in it, and how much of it there is. */
interface Side {
  forge: Forge
  planned: Planned
  size: PlanningSize
}

const large: PlanningSize = quick ? { ...smallPlanning, issues: 1_000, notes: 10_000, labels: 50, others: 100_000 } : largePlanning
const maxCreation_ms = 15

/** The rows of the table; without a PostgreSQL server on this machine only those of SQLite. */
export async function measurePlanning(folder: string): Promise<Row[]> {
  const rows = await measureOn('SQLite', folder, async (size, home) => {
    const forge = await startForge(home)
    return { forge, size, planned: await fillOrStop(forge, join(home, 'gitstead.sqlite'), size) }
  })
  const postgres = await startPostgres()
  if (!postgres) return rows
  try {
    const onPostgres = await measureOn('PostgreSQL', folder, async (size, home) => {
      const database_url = await createDatabase(postgres.url, `planning_${size.issues}`)
      const forge = await startForge(home, { database_url })
      const planned = await fillOrStop(forge, database_url, size)
      // What the database does by itself within a minute.
      await onServer(database_url, 'vacuum analyze')
      return { forge, size, planned }
    })
    return [...rows, ...onPostgres]
  } finally {
    await postgres.stop()
  }
}

async function fillOrStop(forge: Forge, location: string, size: PlanningSize): Promise<Planned> {
  try {
    return await fillPlanning(forge, location, size)
  } catch (error) {
    await forge.stop()
    throw error
  }
}

async function measureOn(engine: string, folder: string, start: (size: PlanningSize, home: string) => Promise<Side>): Promise<Row[]> {
  const sides: Side[] = []
  try {
    for (const size of [large, smallPlanning]) {
      printProgress(`${engine}: ${size.issues} issues of a project, ${size.others} of others`)
      const home = join(folder, `planning-${engine}-${size.issues}`)
      mkdirSync(home, { mode: 0o700 })
      sides.push(await start(size, home))
    }
    // Filling took longer than a connection stays open: now its end is noticed.
    await pause(100)
    const [ours, few] = sides as [Side, Side]
    const rows: Row[] = []
    for (const list of lists) rows.push(await compare(engine, list, ours, few))
    const writes: Writes = {
      what: 'issues',
      projects: [ours, few].map(addressOfProject) as [string, string],
      headers: { 'private-token': member.token },
      per_s: writes_per_s,
    }
    for (const list of lists.filter(({ isAlsoWritten }) => isAlsoWritten)) rows.push(await compare(engine, list, ours, few, writes))
    return [...rows, ...(await measureCreating(engine, ours))]
  } finally {
    for (const { forge } of sides) await forge.stop()
  }
}

function addressOfProject({ forge, planned }: Side): string {
  return `${forge.url}/api/v4/projects/${planned.project}`
}

async function compare(engine: string, { what, paths }: List, ours: Side, few: Side, writes?: Writes): Promise<Row> {
  printProgress(`${engine}: ${what}${writes ? ', with writes' : ''}`)
  const addresses = (side: Side) => paths(side).map((path) => `${side.forge.url}/api/v4${path}`)
  const [one, other] = await runScript<SideBySide, [Latency, Latency]>('side-by-side.ts', {
    sides: [addresses(ours), addresses(few)],
    headers: { 'private-token': member.token },
    rate_per_s,
    duration_s: lists_s,
    ...(writes && { writes }),
  })
  const row = asLatencyRow(`${engine}, ${what}${writes ? `, with ${writes_per_s} writes a second` : ''}`, one, other)
  // The table comes after half an hour: this is for whoever waits.
  printProgress(`${row.what}: ${row.ours}; ${row.limit}`)
  return row
}

interface List {
  what: string
  paths: (side: Side) => string[]
  /** Measured again while issues and notes are created in the project. */
  isAlsoWritten?: true
}

const perPage = 20

/** One in the middle, and the last two. */
function deepPages(rows: number): number[] {
  const last = Math.ceil(rows / perPage)
  return [Math.ceil(last / 2), last - 1, last]
}

const ofProject = (query: (size: PlanningSize) => string[]) => (side: Side) =>
  query(side.size).map((found) => `/projects/${side.planned.project}/issues${found}`)
const ofGroup = (query: (size: PlanningSize) => string[]) => (side: Side) =>
  query(side.size).map((found) => `/groups/${side.planned.group}/issues${found}`)
const everywhere = (queries: string[]) => () => queries.map((query) => `/issues${query}`)
const below = (path: string) => (side: Side) => [`/projects/${side.planned.project}/${path}`]

const searches = ['?search=timeout', '?search=timeout+crash', '?search=n1010', '?search=nowhere']
const people = [`?author_id=${member.id + 7}`, `?assignee_id=${member.id}`, '?assignee_id=None']
const orders = ['?order_by=updated_at', '?order_by=priority', '?order_by=popularity', '?order_by=due_date&sort=asc']
const deep = ({ issues }: PlanningSize) => deepPages(issues).map((page) => `?page=${page}`)

const lists: List[] = [
  { what: '`issues` of a project', paths: ofProject(() => ['', '?state=opened']), isAlsoWritten: true },
  { what: '`issues` of a project, deep pages', paths: ofProject(deep), isAlsoWritten: true },
  { what: '`issues` of a project by keyset', paths: ofProject(() => ['?pagination=keyset']) },
  { what: '`issues` of a project in other orders', paths: ofProject(() => orders) },
  {
    what: '`issues` of a project by labels',
    paths: ofProject(() => ['?labels=label-1', '?labels=label-2,label-3', '?labels=None']),
    isAlsoWritten: true,
  },
  { what: '`issues` of a project by milestone', paths: ofProject(() => ['?milestone=v1', '?milestone=None']) },
  { what: '`issues` of a project by search', paths: ofProject(() => searches), isAlsoWritten: true },
  { what: '`issues` of a project by reaction', paths: ofProject(() => ['?my_reaction_emoji=thumbsup', '?my_reaction_emoji=star']) },
  { what: '`issues` of a project by people', paths: ofProject(() => people) },
  { what: '`issues` of a group', paths: ofGroup(() => ['', '?state=opened']), isAlsoWritten: true },
  { what: '`issues` of a group, deep pages', paths: ofGroup(deep) },
  { what: '`issues` of a group by labels, milestone and search', paths: ofGroup(() => ['?labels=label-1', '?milestone=v1', ...searches]) },
  { what: 'own `issues`', paths: everywhere(['', '?scope=assigned_to_me', '?state=opened']), isAlsoWritten: true },
  { what: 'own `issues` by labels and search', paths: everywhere(['?labels=bug', ...searches]) },
  { what: '`issues` of everybody', paths: everywhere(['?scope=all', '?scope=all&page=3']) },
  { what: '`issues_statistics`', paths: (side) => [`/projects/${side.planned.project}/issues_statistics`, '/issues_statistics'] },
  { what: 'one issue', paths: ofProject(() => ['/1', '/2', '/3']), isAlsoWritten: true },
  { what: '`notes` of an issue', paths: ofProject(() => ['/1/notes', '/2/notes', '/3/notes?sort=asc']), isAlsoWritten: true },
  {
    what: '`notes` of a busy issue, deep pages',
    paths: ofProject(({ notes }) => deepPages(notes / 50).map((page) => `/1/notes?page=${page}`)),
  },
  { what: '`discussions` of an issue', paths: ofProject(() => ['/1/discussions', '/2/discussions']), isAlsoWritten: true },
  { what: '`resource_label_events` of an issue', paths: ofProject(() => ['/1/resource_label_events', '/2/resource_label_events']) },
  { what: '`award_emoji` of an issue', paths: ofProject(() => ['/1/award_emoji', '/2/award_emoji']) },
  { what: '`todos`', paths: () => ['/todos', '/todos?state=done', '/todos?page=3'], isAlsoWritten: true },
  { what: '`events` of a user', paths: () => [`/users/${member.id + 1}/events`, `/users/${member.id + 2}/events?page=2`] },
  {
    what: '`events` of a project',
    paths: (side) => ['', '?page=3', '?action=commented'].map((query) => `/projects/${side.planned.project}/events${query}`),
    isAlsoWritten: true,
  },
  { what: '`events` of oneself', paths: () => ['/events', '/events?target_type=issue'] },
  { what: '`labels` of a project', paths: below('labels'), isAlsoWritten: true },
  { what: '`milestones` of a project', paths: below('milestones') },
  { what: '`boards` of a project', paths: below('boards') },
  { what: '`lists` of a board', paths: (side) => [`/projects/${side.planned.project}/boards/${side.planned.board}/lists`] },
]

const references = 'See #1, #2, #3, #4, ~label-1, ~label-2, %v1, %v2, @member and #5.'

/** One after the other: the time of each. */
async function measureCreating(engine: string, { forge, planned }: Side): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, path, body] of [
    ['an issue', 'issues', { title: 'Created', description: references }],
    ['a note', 'issues/2/notes', { body: references }],
  ] as const) {
    printProgress(`${engine}: creating ${what}`)
    const times: number[] = []
    for (let round = 0; round < created; round += 1) {
      const began = performance.now()
      await forge.call('POST', `/projects/${planned.project}/${path}`, {
        ...body,
        [what === 'a note' ? 'body' : 'title']: `${references} ${round}`,
      })
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] as number
    rows.push({
      what: `${engine}, creating ${what} with ten references: p90`,
      ours: `${digits(at(0.9))} ms (p50 ${digits(at(0.5))} ms)`,
      limit: '',
      ratio: '',
      ...atMost(at(0.9), maxCreation_ms, 'ms'),
    })
  }
  return rows
}
