/** Lists of merge requests: whose, what they are narrowed to, their order and their cost. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import {
  closeMergeRequestIn,
  listMergeRequests,
  type MergeRequestFilter,
  type NewMergeRequest,
  updateMergeRequest,
} from './merge-requests.ts'

let forge: Forge
let owner: TestUser
let reviewer: TestUser
let group: LocatedGroup
let project: TestProject
let at: string
let counter = 0

const one = (fields: Partial<NewMergeRequest> = {}, author = owner, where: TestProject = project): Promise<MergeRequest> =>
  forge.mergeRequest(where, author, { source_branch: `topic-${++counter}`, head_oid: 'a'.repeat(40), ...fields })

/** The numbers of a list. */
async function iids(query: Record<string, string | number | undefined> = {}, path = at, user = owner): Promise<number[]> {
  const sent = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  const { status, body } = await forge.as(user).get(`${path}?${sent.join('&')}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.map(({ iid }: { iid: number }) => iid).sort((a: number, b: number) => a - b)
}

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reviewer] = await Promise.all([forge.user(), forge.user()])
  group = await forge.group({ owner })
  project = await forge.project({ group, developer: reviewer, files: null })
  at = `/projects/${project.id}/merge_requests`
})

describe('a list is narrowed', () => {
  test('by state, branches, work in progress and numbers', async () => {
    const [open, closed, draft] = [await one({ target_branch: 'next' }), await one(), await one({ title: 'Draft: x' })]
    await inTransaction(forge.app.db, (tx) => closeMergeRequestIn(tx, owner.id, closed))
    expect(await iids({ state: 'closed' })).toEqual([closed.iid])
    expect(await iids({ source_branch: draft.source_branch })).toEqual([draft.iid])
    expect(await iids({ target_branch: 'next' })).toEqual([open.iid])
    expect(await iids({ 'not[target_branch]': 'main', state: 'opened' })).toEqual([open.iid])
    expect([await iids({ wip: 'yes' }), await iids({ draft: 'true' })]).toEqual([[draft.iid], [draft.iid]])
    expect(await iids({ wip: 'no' })).not.toContain(draft.iid)
    expect(await iids({ 'iids[]': open.iid })).toEqual([open.iid])
    expect(await iids({ state: 'locked' })).toEqual([])
  })

  test('by the newest pipeline of the newest commit, on pages', async () => {
    const where = await forge.project({ owner, files: null })
    const shas = ['b', 'c', 'd'].map((sign) => sign.repeat(40))
    const [failed, passed, none] = await Promise.all(shas.map((head_oid) => one({ head_oid }, owner, where)))
    const runs = [
      [shas[0], 'success'],
      [shas[0], 'failed'],
      [shas[1], 'success'],
    ] as const
    for (const [index, [sha = '', status]] of runs.entries()) {
      const times = { created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-01T00:00:00.000Z' }
      const run = { project_id: where.id, iid: index + 1, ref: 'x', sha, tag: false, source: 'push', status, user_id: owner.id, ...times }
      await forge.app.db.insertInto('pipelines').values(run).execute()
    }
    const found = async (pipeline: MergeRequestFilter['pipeline']) =>
      (await listMergeRequests(forge.app.db, owner, { project_id: where.id }, { pipeline }, { limit: 20, offset: 0 })).rows.map(
        ({ id }) => id,
      )
    expect([await found(['failed']), await found(['success']), await found('none'), await found(['running'])]).toEqual([
      [failed?.id],
      [passed?.id],
      [none?.id],
      [],
    ])
  })

  test('by people: author, assignee, reviewer, who has approved', async () => {
    const theirs = await one({}, reviewer)
    const asked = await one({ reviewer_ids: [reviewer.id], assignee_ids: [reviewer.id] })
    await forge.app.db
      .insertInto('approvals')
      .values({ merge_request_id: asked.id, user_id: reviewer.id, created_at: '2030-01-01T00:00:00.000Z' })
      .execute()
    expect(await iids({ author_id: reviewer.id })).toEqual([theirs.iid])
    expect(await iids({ author_username: reviewer.username })).toEqual([theirs.iid])
    for (const query of [
      { assignee_id: reviewer.id },
      { 'assignee_username[]': reviewer.username },
      { assignee_id: 'Any' },
      { reviewer_id: reviewer.id },
      { reviewer_id: 'any' },
      { 'reviewer_username[]': reviewer.username },
      { approved: 'yes' },
      { 'approved_by_ids[]': reviewer.id },
      { 'approved_by_usernames[]': reviewer.username },
      { 'approved_by_ids[]': 'Any' },
    ])
      expect([query, await iids(query)]).toEqual([query, [asked.iid]])
    for (const query of [{ reviewer_id: 'None' }, { approved: 'no' }, { 'not[reviewer_id]': reviewer.id }, { 'approved_by_ids[]': 'None' }])
      expect([query, await iids(query)]).toEqual([query, (await iids()).filter((iid) => iid !== asked.iid)])
    expect(await iids({ scope: 'reviews_for_me' }, '/merge_requests', reviewer)).toEqual([asked.iid])
    expect(await iids({}, '/merge_requests', reviewer)).toEqual([theirs.iid])
    expect(await iids({ scope: 'assigned-to-me' }, '/merge_requests', reviewer)).toEqual([asked.iid])
  })

  test('by labels, milestone, reactions, words and dates', async () => {
    const { body: milestone } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'M' })
    const { body: label } = await forge.as(owner).post(`/projects/${project.id}/labels`, { name: 'bug', color: '#112233' })
    const marked = await one({
      title: 'Frobnicate the gearbox',
      milestone_id: milestone.id,
      label_ids: [label.id],
      created_at: '2020-01-01T00:00:00.000Z',
    })
    await forge.as(owner).post(`${at}/${marked.iid}/award_emoji`, { name: 'tada' })
    for (const query of [
      { labels: 'bug' },
      { labels: 'Any' },
      { milestone: 'M' },
      { milestone: 'Any' },
      { my_reaction_emoji: 'tada' },
      { search: 'gearbox frobnicate' },
      { search: 'GEARBOX', in: 'title' },
      { created_before: '2021-01-01T00:00:00Z' },
    ])
      expect([query, await iids(query)]).toEqual([query, [marked.iid]])
    for (const query of [{ labels: 'None' }, { 'not[labels]': 'bug' }, { milestone: 'None' }, { created_after: '2021-01-01T00:00:00Z' }])
      expect([query, await iids(query)]).toEqual([query, (await iids()).filter((iid) => iid !== marked.iid)])
    expect(await iids({ search: 'gearbox', in: 'description' })).toEqual([])
  })
})

test('a list of a group has what is below it, and hides what the reader cannot see', async () => {
  const below = await forge.group({ owner, parent: group })
  const hidden = await forge.project({ group: below, files: null })
  const { iid } = await one({}, owner, hidden)
  const path = `/groups/${group.id}/merge_requests`
  const everything = await iids({ per_page: 100 }, path)
  expect(everything).toHaveLength((await iids({ per_page: 100 })).length + 1)
  expect(await iids({ per_page: 100 }, path, reviewer)).toEqual(await iids({ per_page: 100 }))
  expect(await iids({}, `/projects/${hidden.id}/merge_requests`)).toEqual([iid])
  expect((await forge.as(reviewer).get(`/projects/${hidden.id}/merge_requests`)).status).toBe(404)
  const guest = await forge.user()
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  expect((await forge.as(guest).get(at)).status).toBe(403)
  expect(await iids({}, path, guest)).toEqual([])
  expect((await forge.as(owner).get(`${path}?per_page=1`)).headers['x-total']).toBe(String(everything.length))
})

test('totals follow what happens: created, closed, deleted', async () => {
  const place = await forge.project({ owner, files: null })
  const path = `/projects/${place.id}/merge_requests`
  const total = async (state: string) => Number((await forge.as(owner).get(`${path}?state=${state}`)).headers['x-total'])
  const made = [await one({}, owner, place), await one({}, owner, place), await one({}, owner, place)]
  expect([await total('all'), await total('opened')]).toEqual([3, 3])
  await inTransaction(forge.app.db, (tx) => closeMergeRequestIn(tx, owner.id, made[0] as MergeRequest))
  expect([await total('all'), await total('opened'), await total('closed')]).toEqual([3, 2, 1])
  expect((await forge.as(owner).delete(`${path}/2`)).status).toBe(204)
  expect([await total('all'), await total('opened')]).toEqual([2, 1])
})

test('the simple form is short, labels may come in detail, and orders are as asked for', async () => {
  const place = await forge.project({ owner, files: null })
  const path = `/projects/${place.id}/merge_requests`
  const { body: label } = await forge.as(owner).post(`/projects/${place.id}/labels`, { name: 'bug', color: '#112233' })
  const [first, second] = [await one({ title: 'b', label_ids: [label.id] }, owner, place), await one({ title: 'a' }, owner, place)]
  await inTransaction(forge.app.db, (tx) => updateMergeRequest(tx, first.id, { state: 'merged', merged_at: '2030-01-01T00:00:00.000Z' }))
  const simple = await forge.as(owner).get(`${path}?view=simple`)
  expect(Object.keys(simple.body[0])).toEqual([
    'id',
    'iid',
    'project_id',
    'title',
    'description',
    'state',
    'created_at',
    'updated_at',
    'web_url',
  ])
  const order = async (query: string) =>
    (await forge.as(owner).get(`${path}?${query}`)).body.map(({ iid }: { iid: number }) => iid) as number[]
  expect(await order('sort=asc')).toEqual([first.iid, second.iid])
  expect(await order('order_by=title&sort=asc')).toEqual([second.iid, first.iid])
  for (const sort of ['asc', 'desc']) expect(await order(`order_by=merged_at&sort=${sort}`)).toEqual([first.iid, second.iid])
  const [, detailed] = (await forge.as(owner).get(`${path}?with_labels_details=true`)).body
  expect(detailed.labels).toMatchObject([{ name: 'bug', color: '#112233' }])
  const keyset = await forge.as(owner).get(`${path}?pagination=keyset&order_by=created_at&per_page=1`)
  expect([keyset.status, keyset.body.length, keyset.headers.link?.includes('rel="next"')]).toEqual([200, 1, true])
})

test('what cannot be meant is refused', async () => {
  for (const query of [
    'state=open',
    'order_by=due_date',
    'scope=mine',
    'reviewer_id=x',
    'wip=maybe',
    'approved_by_ids[]=any&approved_by_ids[]=1',
  ])
    expect([query, (await forge.as(owner).get(`${at}?${query}`)).status]).toEqual([query, 400])
  const many = Array.from({ length: 51 }, (_, index) => `l${index}`).join(',')
  expect((await forge.as(owner).get(`${at}?labels=${many}`)).status).toBe(400)
  expect((await forge.as(owner).get(`${at}?pagination=keyset&order_by=title`)).status).toBe(400)
  expect((await forge.anonymous.get(at)).status).toBe(401)
})

test('a list costs the same, however many there are, and no git process', async () => {
  const place = await forge.project({ owner, files: null })
  await one({}, owner, place)
  const read = () => forge.as(owner).get(`/projects/${place.id}/merge_requests?per_page=100&order_by=updated_at`)
  await read()
  await one({ reviewer_ids: [reviewer.id] }, owner, place)
  const few = await forge.cost(read)
  for (let number = 0; number < 10; number += 1) await one({ assignee_ids: [owner.id] }, owner, place)
  const many = await forge.cost(read)
  expect([many.statements, many.processes]).toEqual([few.statements, 0])
  expect(many.statements).toBeLessThan(20)
})
