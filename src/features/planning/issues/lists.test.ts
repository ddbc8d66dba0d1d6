/** Lists of issues: which are in them, in which order, for whom, and at which cost. */
import { beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { LocatedProject } from '../../../access/find.ts'
import { inTransaction } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { foldCounts } from '../../../db/list-counts.ts'
import type { Issue } from '../../../db/tables.ts'
import { changeIssueIn, removeIssueIn } from './issues.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let guest: TestUser
let project: LocatedProject
let groupId: number
const made: Record<string, Issue> = {}
const labels: Record<string, number> = {}

const instant = (day: number) => `2018-03-${String(day).padStart(2, '0')}T12:00:00.000Z`

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  reporter = await forge.user()
  guest = await forge.user()
  const group = await forge.group({ owner })
  groupId = group.id
  project = await forge.project({ group, owner, reporter, guest, visibility: 'private', files: null })
  const create = async (path: string, name: string) =>
    (await forge.as(owner).post(`/${path}/labels`, { name, color: 'red' })).body.id as number
  labels.bug = await create(`projects/${project.id}`, 'bug')
  labels['two words'] = await create(`groups/${group.id}`, 'two words')
  labels.old = await create(`projects/${project.id}`, 'old')
  const add = async (title: string, author: TestUser, day: number, fields: Partial<Parameters<Forge['issue']>[2]> = {}) => {
    made[title] = await forge.issue(project, author, { title, created_at: instant(day), ...fields })
  }
  await add('alpha', owner, 1, { label_ids: [labels.bug], description: 'Needle in the hay' })
  await add('beta', reporter, 2, { label_ids: [labels.bug, labels['two words']], assignee_ids: [guest.id] })
  await add('gamma', guest, 3, { due_date: today() })
  await add('delta', guest, 4, { confidential: true, label_ids: [labels['two words']] })
  await add('epsilon', owner, 5, { confidential: true, description: 'hay and needle' })
})

type Client = ReturnType<Forge['as']>

async function titles(query: string, as: TestUser = owner, path = `/projects/${project.id}/issues`): Promise<string[]> {
  const { status, body } = await (forge.as(as) as Client).get(`${path}?${query}`)
  expect([status, body]).toEqual([200, expect.any(Array)])
  return body.map(({ title }: { title: string }) => title)
}

const newestFirst = ['epsilon', 'delta', 'gamma', 'beta', 'alpha']

test('are newest first, and confidential ones are seen by authors, assignees and reporters alone', async () => {
  expect(await titles('')).toEqual(newestFirst)
  expect(await titles('', reporter)).toEqual(newestFirst)
  expect(await titles('', guest)).toEqual(['delta', 'gamma', 'beta', 'alpha'])
  expect((await forge.as(await forge.user()).get(`/projects/${project.id}/issues`)).status).toBe(404)
  expect((await forge.anonymous.get('/issues')).status).toBe(401)
})

test('of a group have those of all its projects, and references with their path', async () => {
  const path = `/groups/${groupId}/issues`
  expect(await titles('', owner, path)).toEqual(newestFirst)
  const { body } = await forge.as(owner).get(`${path}?iids[]=1`)
  expect(body[0].references).toEqual({ short: '#1', relative: `${project.full_path}#1`, full: `${project.full_path}#1` })
})

test('a list of all issues has, by default, those that the caller created', async () => {
  expect(await titles('', guest, '/issues')).toEqual(['delta', 'gamma'])
  for (const scope of ['assigned_to_me', 'assigned-to-me']) expect(await titles(`scope=${scope}`, guest, '/issues')).toEqual(['beta'])
  expect(await titles('scope=created-by-me', guest, '/issues')).toEqual(['delta', 'gamma'])
  expect(await titles('scope=all', guest, '/issues')).toEqual(['delta', 'gamma', 'beta', 'alpha'])
  expect(await titles(`scope=all&author_id=${owner.id}`, guest, '/issues')).toEqual(['alpha'])
})

describe('a filter', () => {
  test.each<[query: string, found: string[]]>([
    ['state=opened', newestFirst],
    ['state=all', newestFirst],
    ['state=closed', []],
    ['labels=bug', ['beta', 'alpha']],
    ['labels=bug,two words', ['beta']],
    ['labels[]=bug&labels[]=two words', ['beta']],
    ['labels=nothing', []],
    ['labels=No+Label', ['epsilon', 'gamma']],
    ['labels=None', ['epsilon', 'gamma']],
    ['labels=Any', ['delta', 'beta', 'alpha']],
    ['not[labels]=bug', ['epsilon', 'delta', 'gamma']],
    ['not[labels]=bug,two words', ['epsilon', 'gamma']],
    ['milestone=No+Milestone', newestFirst],
    ['milestone=none', newestFirst],
    ['milestone=v1', []],
    ['not[milestone]=v1', newestFirst],
    ['milestone_id=Any', []],
    ['milestone=Upcoming', []],
    ['milestone=%23started', []],
    ['iids[]=2&iids[]=3', ['gamma', 'beta']],
    ['not[iids][]=2', ['epsilon', 'delta', 'gamma', 'alpha']],
    ['assignee_id=0', ['epsilon', 'delta', 'gamma', 'alpha']],
    ['assignee_id=None', ['epsilon', 'delta', 'gamma', 'alpha']],
    ['assignee_id=Any', ['beta']],
    ['my_reaction_emoji=star', []],
    ['my_reaction_emoji=None', newestFirst],
    ['confidential=true', ['epsilon', 'delta']],
    ['confidential=false', ['gamma', 'beta', 'alpha']],
    ['due_date=today', ['gamma']],
    ['due_date=week', ['gamma']],
    ['due_date=month', ['gamma']],
    ['due_date=next_month_and_previous_two_weeks', ['gamma']],
    ['due_date=any', ['gamma']],
    ['due_date=tomorrow', []],
    ['due_date=overdue', []],
    ['due_date=0', ['epsilon', 'delta', 'beta', 'alpha']],
    ['search=needle', ['epsilon', 'alpha']],
    ['search=NEEDLE hay', ['epsilon', 'alpha']],
    ['search="in the"', ['alpha']],
    ['search=alpha needle', []],
    ['search=alpha', ['alpha']],
    ['search=needle&in=title', []],
    ['search=alp&in=title,description', ['alpha']],
    ['search=a_p', []],
    [`created_after=${instant(4)}`, ['epsilon', 'delta']],
    [`created_before=${instant(2)}`, ['beta', 'alpha']],
    [`updated_after=${instant(5)}`, ['epsilon']],
    [`updated_before=${instant(1)}`, ['alpha']],
    ['issue_type=incident', []],
    ['issue_type=issue', newestFirst],
    ['non_archived=true', newestFirst],
    ['order_by=title&sort=asc', ['alpha', 'beta', 'delta', 'epsilon', 'gamma']],
    ['order_by=updated_at&sort=asc', [...newestFirst].reverse()],
    ['order_by=due_date&sort=asc', ['gamma', 'alpha', 'beta', 'delta', 'epsilon']],
    ['order_by=due_date&sort=desc', ['gamma', 'epsilon', 'delta', 'beta', 'alpha']],
    ...['label_priority', 'milestone_due', 'popularity', 'priority', 'relative_position'].map((order): [string, string[]] => [
      `order_by=${order}`,
      newestFirst,
    ]),
  ])('%s', async (query, found) => {
    expect(await titles(query)).toEqual(found)
    expect(await titles(query, owner, `/groups/${groupId}/issues`)).toEqual(found)
    expect(await titles(`scope=all&${query}`, owner, '/issues')).toEqual(found)
  })

  test('by people takes ids and usernames', async () => {
    for (const query of [`author_id=${guest.id}`, `author_username=${guest.username}`])
      expect(await titles(query)).toEqual(['delta', 'gamma'])
    for (const query of [`assignee_id=${guest.id}`, `assignee_username[]=${guest.username}`, `assignee_username=${guest.username}`])
      expect(await titles(query)).toEqual(['beta'])
    expect(await titles(`not[author_username]=${guest.username}`)).toEqual(['epsilon', 'beta', 'alpha'])
    expect(await titles(`not[assignee_id]=${guest.id}`)).not.toContain('beta')
    expect(await titles(`assignee_username[]=${guest.username}&assignee_username[]=${owner.username}`)).toEqual([])
    expect(await titles('author_username=nobody-at-all')).toEqual([])
  })

  test.each([
    'state=merged',
    'scope=mine',
    'order_by=weight',
    'sort=up',
    'created_after=2018-13-40',
    'due_date=2018-01-01',
    'assignee_id=x',
    'in=notes',
    'not=bug',
    `labels=${Array.from({ length: 51 }, (_, index) => `l${index}`)}`,
  ])('that is none is refused: %s', async (query) => {
    expect((await forge.as(owner).get(`/projects/${project.id}/issues?${query}`)).status).toBe(400)
  })
})

test('labels are objects on demand', async () => {
  const { body } = await forge.as(owner).get(`/projects/${project.id}/issues?iids[]=1&with_labels_details=true`)
  expect(body[0].labels).toEqual([expect.objectContaining({ id: labels.bug, name: 'bug', color: '#FF0000' })])
})

test('statistics count what the list has, whatever the state', async () => {
  const closed = await forge.issue(project, reporter, { title: 'closed', created_at: instant(1), label_ids: [labels.old as number] })
  await inTransaction(forge.app.db, (tx) => changeIssueIn(tx, { user: reporter, project, level: 20 }, closed.id, { state: 'closed' }))
  const count = async (path: string, as = owner) => (await forge.as(as).get(path)).body
  const counts = (opened: number, closed: number) => ({ statistics: { counts: { all: opened + closed, opened, closed } } })
  for (const path of [`/projects/${project.id}`, `/groups/${groupId}`]) {
    expect(await count(`${path}/issues_statistics`)).toEqual(counts(5, 1))
    expect(await count(`${path}/issues_statistics`, guest)).toEqual(counts(4, 1))
    expect(await count(`${path}/issues_statistics?labels=old`)).toEqual(counts(0, 1))
  }
  expect(await count('/issues_statistics', guest)).toEqual(counts(2, 0))
  expect(await titles('state=closed')).toEqual(['closed'])
  expect(await titles('not[labels]=bug&state=closed&labels=old')).toEqual(['closed'])
})

test('keyset pages lead through the list, in either order of instants', async () => {
  for (const order of ['created_at', 'updated_at']) {
    const seen: string[] = []
    let path: string | null = `/projects/${project.id}/issues?pagination=keyset&per_page=2&order_by=${order}&sort=asc`
    while (path) {
      const { status, body, headers } = await forge.as(guest).get(path)
      expect([status, headers['x-total']]).toEqual([200, undefined])
      seen.push(...body.map(({ title }: { title: string }) => title))
      path = /\/api\/v4([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1] ?? null
    }
    expect(seen).toEqual(await titles(`order_by=${order}&sort=asc`, guest))
  }
  const { status } = await forge.as(guest).get(`/projects/${project.id}/issues?pagination=keyset&order_by=title`)
  expect(status).toBe(400)
})

test('a list costs as many statements however long it is, and so do statistics', async () => {
  const cost = async (path: string) => {
    // Totals that are cached are counted by whoever asks first.
    await forge.as(reporter).get(path)
    return (await forge.cost(() => forge.as(reporter).get(path))).statements
  }
  const few = await forge.project({ owner, reporter, files: null })
  await forge.issue(few, owner, { milestone_id: null })
  // PostgreSQL is asked first whether something was written.
  const moment = engine === 'postgres' ? 1 : 0
  const many = `/projects/${project.id}`
  for (const query of ['', '?labels=bug', '?search=needle', '?order_by=priority']) {
    expect(await cost(`${many}/issues${query}`), query).toBeLessThanOrEqual(11 + moment)
    expect(await cost(`/groups/${groupId}/issues${query}`), query).toBeLessThanOrEqual(11 + moment)
    expect(await cost(`/issues${query}`), query).toBeLessThanOrEqual(10 + moment)
  }
  expect(await cost(`${many}/issues`)).toBe(await cost(`/projects/${few.id}/issues`))
  expect(await cost(`${many}/issues_statistics`)).toBe(await cost(`/projects/${few.id}/issues_statistics`))
})

test('a project tells how many open issues it has that are not confidential, to those who can see them', async () => {
  const counted = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
  const actor = { user: owner, project: counted, level: 50 }
  const change = (id: number, fields: Parameters<typeof changeIssueIn>[3]) =>
    inTransaction(forge.app.db, (tx) => changeIssueIn(tx, actor, id, fields))
  const count = async (as: TestUser) => {
    const one = (await forge.as(as).get(`/projects/${counted.id}`)).body
    const listed = (await forge.as(as).get(`/projects?search=${counted.path}`)).body[0]
    expect(listed.open_issues_count).toBe(one.open_issues_count)
    expect('issues' in one._links).toBe('open_issues_count' in one)
    return one.open_issues_count
  }
  expect(await count(owner)).toBe(0)
  const [one, other] = [await forge.issue(counted, owner), await forge.issue(counted, owner)]
  await forge.issue(counted, owner, { confidential: true })
  expect([await count(owner), await count(guest)]).toEqual([2, 2])
  await change(one.id, { state: 'closed' })
  expect(await count(guest)).toBe(1)
  await change(other.id, { confidential: true })
  expect(await count(guest)).toBe(0)
  await change(other.id, { confidential: false })
  await change(one.id, { state: 'opened' })
  expect(await count(guest)).toBe(2)
  await inTransaction(forge.app.db, (tx) => removeIssueIn(tx, owner.id, one.id))
  await foldCounts(forge.app.db)
  expect(await count(guest)).toBe(1)
  await forge.as(owner).put(`/projects/${counted.id}`, { issues_access_level: 'private' })
  expect([await count(guest), await count(await forge.user())]).toEqual([1, undefined])
})

test("private and disabled issues are in no list of those who can't see them", async () => {
  const hidden = await forge.project({ owner, reporter, visibility: 'public', files: null })
  const issue = await forge.issue(hidden, owner, { title: 'hidden' })
  const stranger = await forge.user()
  const seen = async (as: TestUser) => [
    (await titles('', as, `/projects/${hidden.id}/issues`)).length,
    (await titles(`scope=all&search=hidden&iids[]=${issue.iid}`, as, '/issues')).length,
  ]
  expect(await seen(stranger)).toEqual([1, 1])
  await forge.as(owner).put(`/projects/${hidden.id}`, { issues_access_level: 'private' })
  expect([await seen(stranger), await seen(reporter)]).toEqual([
    [0, 0],
    [1, 1],
  ])
  await forge.as(owner).put(`/projects/${hidden.id}`, { issues_access_level: 'disabled' })
  expect([await seen(reporter), await seen(forge.root)]).toEqual([
    [0, 0],
    [0, 0],
  ])
})

test('a search finds what the texts say, by index or not, in every scope', async () => {
  const searched = await forge.project({ owner, reporter, files: null })
  await forge.issue(searched, owner, { title: 'Straße 100%', description: 'one "quoted" word' })
  await forge.issue(searched, owner, { title: 'ab', description: 'x'.repeat(5_000) })
  const found = async (search: string, path: string) => (await titles(`search=${encodeURIComponent(search)}`, owner, path)).length
  for (const path of [`/projects/${searched.id}/issues`, '/issues']) {
    expect(
      await Promise.all(['straße', '100%', 'quoted', 'ab', '%%%', '"one "', 'quo_ed', 'AND OR NOT', '*'].map((word) => found(word, path))),
    ).toEqual([1, 1, 1, 1, 0, 1, 0, 0, 0])
  }
  const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')
  expect(await found(long, `/projects/${searched.id}/issues`)).toBe(0)
})

test('numbers that no issue can have are refused', async () => {
  for (const number of ['99999999999999999999', '9223372036854775808', '0', '-1'])
    for (const name of ['iids[]', 'not[iids][]'])
      for (const path of ['/issues', '/issues_statistics'])
        expect((await forge.as(forge.root).get(`${path}?${name}=${number}`)).status).toBe(400)
})
