/** Lists of planning, on both engines, beside the same lists of a forge with a hundredth of the rows; and what creating costs. */
import { compareList, deepPages, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { member } from '../data/people.ts'
import { fillPlanning, largePlanning, type Planned, type PlanningSize, smallPlanning } from '../data/planning.ts'
import type { Writes } from '../probes/side-by-side.ts'
import { atMost, digits, printProgress, type Row } from '../report.ts'
import { created, onlyLists, quick, writes_per_s } from '../settings.ts'

type Side = SideOf<Planned, PlanningSize>

const large: PlanningSize = quick ? { ...smallPlanning, issues: 1_000, notes: 10_000, labels: 50, others: 100_000 } : largePlanning
const maxCreation_ms = 15

export function measurePlanning(folder: string): Promise<Row[]> {
  return onEachEngine(folder, {
    name: 'planning',
    sizes: [large, smallPlanning],
    describe: ({ issues, others }) => `${issues} issues of a project, ${others} of others`,
    fill: fillPlanning,
    measure: measureSides,
  })
}

async function measureSides(engine: string, ours: Side, few: Side): Promise<Row[]> {
  const rows: Row[] = []
  const wanted = lists.filter(({ what }) => what.includes(onlyLists))
  for (const list of wanted) rows.push(await compare(engine, list, ours, few))
  const writes: Writes = {
    what: 'issues',
    projects: [ours, few].map(addressOfProject) as [string, string],
    headers: { 'private-token': member.token },
    per_s: writes_per_s,
  }
  for (const list of wanted.filter(({ isAlsoWritten }) => isAlsoWritten)) rows.push(await compare(engine, list, ours, few, writes))
  return onlyLists ? rows : [...rows, ...(await measureCreating(engine, ours))]
}

function addressOfProject({ forge, found }: Side): string {
  return `${forge.url}/api/v4/projects/${found.project}`
}

function compare(engine: string, { what, paths }: List, ours: Side, few: Side, writes?: Writes): Promise<Row> {
  const addresses = (side: Side) => paths(side).map((path) => `${side.forge.url}/api/v4${path}`)
  return compareList(engine, what, [addresses(ours), addresses(few)], writes)
}

interface List {
  what: string
  paths: (side: Side) => string[]
  /** Measured again while issues and notes are created in the project. */
  isAlsoWritten?: true
}

const ofProject = (query: (size: PlanningSize) => string[]) => (side: Side) =>
  query(side.size).map((found) => `/projects/${side.found.project}/issues${found}`)
const ofGroup = (query: (size: PlanningSize) => string[]) => (side: Side) =>
  query(side.size).map((found) => `/groups/${side.found.group}/issues${found}`)
const everywhere = (queries: string[]) => () => queries.map((query) => `/issues${query}`)
const below = (path: string) => (side: Side) => [`/projects/${side.found.project}/${path}`]

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
  { what: '`issues_statistics`', paths: (side) => [`/projects/${side.found.project}/issues_statistics`, '/issues_statistics'] },
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
    paths: (side) => ['', '?page=3', '?action=commented'].map((query) => `/projects/${side.found.project}/events${query}`),
    isAlsoWritten: true,
  },
  { what: '`events` of oneself', paths: () => ['/events', '/events?target_type=issue'] },
  { what: '`labels` of a project', paths: below('labels'), isAlsoWritten: true },
  { what: '`milestones` of a project', paths: below('milestones') },
  { what: '`boards` of a project', paths: below('boards') },
  { what: '`lists` of a board', paths: (side) => [`/projects/${side.found.project}/boards/${side.found.board}/lists`] },
]

const references = 'See #1, #2, #3, #4, ~label-1, ~label-2, %v1, %v2, @member and #5.'

/** One after the other: the time of each. */
async function measureCreating(engine: string, { forge, found }: Side): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, path, body] of [
    ['an issue', 'issues', { title: 'Created', description: references }],
    ['a note', 'issues/2/notes', { body: references }],
  ] as const) {
    printProgress(`${engine}: creating ${what}`)
    const times: number[] = []
    for (let round = 0; round < created; round += 1) {
      const began = performance.now()
      await forge.call('POST', `/projects/${found.project}/${path}`, {
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
