/** Lists of merge requests and what belongs to them, on both engines, beside the same of a forge with a hundredth of the rows. */
import { compareList, deepPages, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { member } from '../data/people.ts'
import { fillReview, largeReview, type Reviewed, type ReviewSize, smallReview } from '../data/review.ts'
import { printProgress, type Row } from '../report.ts'
import { quick } from '../settings.ts'

type Side = SideOf<Reviewed, ReviewSize>

const large: ReviewSize = quick ? { ...smallReview, requests: 500, notes: 5_000, labels: 50, others: 50_000 } : largeReview

export function measureReview(folder: string): Promise<Row[]> {
  return onEachEngine(folder, {
    name: 'review',
    sizes: [large, smallReview],
    describe: ({ requests, others }) => `${requests} merge requests of a project, ${others} of others`,
    fill: fillReview,
    async measure(engine, ours, few) {
      const rows: Row[] = []
      for (const { what, paths } of lists) {
        const addresses = (side: Side) => paths(side).map((path) => `${side.forge.url}/api/v4${path}`)
        if (await isServed(ours, addresses(ours))) rows.push(await compareList(engine, what, [addresses(ours), addresses(few)]))
      }
      return rows
    },
  })
}

/** Reports a missing URL and skips it, so that the rest of the run goes on. */
async function isServed({ forge }: Side, urls: string[]): Promise<boolean> {
  for (const url of urls) {
    const response = await fetch(url, { headers: { 'private-token': member.token } })
    if (response.ok) continue
    printProgress(`${url.slice(forge.url.length)} was answered with ${response.status}: ${await response.text()}`)
    return false
  }
  return true
}

interface List {
  what: string
  paths: (side: Side) => string[]
}

const ofProject = (query: (size: ReviewSize) => string[]) => (side: Side) =>
  query(side.size).map((found) => `/projects/${side.found.project}/merge_requests${found}`)
const ofGroup = (query: (size: ReviewSize) => string[]) => (side: Side) =>
  query(side.size).map((found) => `/groups/${side.found.group}/merge_requests${found}`)
const everywhere = (queries: string[]) => () => queries.map((query) => `/merge_requests${query}`)
const ofEach = (path: string) => ofProject(() => [1, 2, 3].map((iid) => `/${iid}${path}`))

const searches = ['?search=timeout', '?search=timeout+crash', '?search=n101', '?search=nowhere']
const deep = ({ requests }: ReviewSize) => deepPages(requests).map((page) => `?page=${page}`)

const lists: List[] = [
  { what: '`merge_requests` of a project', paths: ofProject(() => ['', '?state=opened', '?state=merged']) },
  { what: '`merge_requests` of a project, `view=simple`', paths: ofProject(() => ['?view=simple']) },
  { what: '`merge_requests` of a project, deep pages', paths: ofProject(deep) },
  { what: '`merge_requests` of a project in other orders', paths: ofProject(() => ['?order_by=updated_at', '?sort=asc']) },
  {
    what: '`merge_requests` of a project by labels',
    paths: ofProject(() => ['?labels=label-1', '?labels=label-2,label-3', '?labels=None']),
  },
  { what: '`merge_requests` of a project by milestone', paths: ofProject(() => ['?milestone=v1', '?milestone=None']) },
  { what: '`merge_requests` of a project by search', paths: ofProject(() => searches) },
  {
    what: '`merge_requests` of a project by people',
    paths: ofProject(() => [
      `?author_id=${member.id + 7}`,
      `?assignee_id=${member.id}`,
      `?reviewer_id=${member.id + 1}`,
      '?assignee_id=None',
    ]),
  },
  { what: '`merge_requests` of a project by branch', paths: ofProject(() => ['?source_branch=topic', '?target_branch=main']) },
  { what: '`merge_requests` of a project, drafts', paths: ofProject(() => ['?wip=yes', '?wip=no']) },
  { what: '`merge_requests` of a group', paths: ofGroup(() => ['', '?state=opened']) },
  { what: '`merge_requests` of a group, deep pages', paths: ofGroup(deep) },
  {
    what: '`merge_requests` of a group by labels, milestone and search',
    paths: ofGroup(() => ['?labels=label-1', '?milestone=v1', ...searches]),
  },
  { what: 'own `merge_requests`', paths: everywhere(['', '?scope=assigned_to_me', '?state=opened']) },
  { what: '`merge_requests` of everybody', paths: everywhere(['?scope=all', '?scope=all&page=3']) },
  { what: 'one merge request', paths: ofEach('') },
  { what: '`notes` of a merge request', paths: ofEach('/notes') },
  {
    what: '`notes` of a busy merge request, deep pages',
    paths: ofProject(({ notes }) => deepPages(notes / 50).map((page) => `/1/notes?page=${page}`)),
  },
  { what: '`discussions` of a merge request', paths: ofEach('/discussions') },
  { what: '`versions` of a merge request', paths: ofEach('/versions') },
  { what: '`commits` of a merge request', paths: ofEach('/commits') },
  { what: '`approvals` of a merge request', paths: ofEach('/approvals') },
  { what: '`participants` of a merge request', paths: ofEach('/participants') },
  { what: '`resource_label_events` of a merge request', paths: ofEach('/resource_label_events') },
  { what: '`award_emoji` of a merge request', paths: ofEach('/award_emoji') },
  { what: '`todos`', paths: () => ['/todos', '/todos?state=done', '/todos?type=MergeRequest'] },
  {
    what: '`events` of a project',
    paths: (side) => ['', '?action=merged'].map((query) => `/projects/${side.found.project}/events${query}`),
  },
]
