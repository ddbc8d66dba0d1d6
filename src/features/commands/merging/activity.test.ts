/** Merge requests appear elsewhere: in activity, contributions, subscriptions, milestones, and todos of conflicts. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let counter = 0

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer] = [await forge.user(), await forge.user()]
  project = await forge.project({ maintainer, developer, visibility: 'public', files: { text: 'a\n' } })
})

async function commit(branch: string, action: object, more: object = {}): Promise<void> {
  const { status, text } = await forge.as(maintainer).post(`/projects/${project.id}/repository/commits`, {
    branch,
    commit_message: 'Change',
    actions: [action],
    ...more,
  })
  expect(status, text).toBe(201)
}

/** A merge request of the developer's that changes a file of its own, or the one of all. */
async function request(fields: object = {}, action?: object) {
  const source_branch = `topic-${++counter}`
  await commit(source_branch, action ?? { action: 'create', file_path: source_branch, content: 'x' }, { start_branch: 'main' })
  const body = { source_branch, target_branch: 'main', title: `It ${counter}`, ...fields }
  const made = await forge.as(developer).post(`/projects/${project.id}/merge_requests`, body)
  expect(made.status, made.text).toBe(201)
  return { ...made.body, at: `/projects/${project.id}/merge_requests/${made.body.iid}` }
}

interface Event {
  action_name: string
  target_iid: number
  target_type: string
  author: { id: number }
}

test('opening, closing, reopening, approving and merging are activity of whoever did it, and contributions', async () => {
  const { at, iid } = await request()
  const [theirs, mine] = [forge.as(developer), forge.as(maintainer)]
  await theirs.put(at, { state_event: 'close' })
  await theirs.put(at, { state_event: 'reopen' })
  expect((await mine.post(`${at}/approve`)).status).toBe(201)
  expect((await mine.put(`${at}/merge`)).status).toBe(200)
  const { body } = await mine.get(`/projects/${project.id}/events?target_type=merge_request&per_page=100`)
  const events = (body as Event[]).filter(({ target_iid, target_type }) => target_iid === iid && target_type === 'MergeRequest')
  expect(events.map(({ action_name, author }) => [action_name, author.id]).reverse()).toEqual([
    ['opened', developer.id],
    ['closed', developer.id],
    // The API has no other word for it.
    ['opened', developer.id],
    ['approved', maintainer.id],
    ['accepted', maintainer.id],
  ])
  const own = (await mine.get('/events?action=merged')).body as Event[]
  expect(own.map(({ target_iid }) => target_iid)).toContain(iid)
  const states = (await mine.get(`${at}/resource_state_events`)).body.map(({ state }: { state: string }) => state)
  expect(states).toEqual(['closed', 'reopened', 'merged'])
})

test('subscriptions are kept by hand, once each', async () => {
  const { at } = await request()
  const client = forge.as(await forge.user())
  expect((await client.get(at)).body.subscribed).toBe(false)
  expect((await client.post(`${at}/subscribe`)).status).toBe(201)
  expect((await client.post(`${at}/subscribe`)).status).toBe(304)
  expect((await client.get(at)).body.subscribed).toBe(true)
  expect((await client.post(`${at}/unsubscribe`)).body.subscribed).toBe(false)
  // An author takes part.
  expect((await forge.as(developer).get(at)).body.subscribed).toBe(true)
})

test('a milestone lists its merge requests, to those who see them', async () => {
  const { body: milestone } = await forge.as(developer).post(`/projects/${project.id}/milestones`, { title: 'Next' })
  const { iid } = await request({ milestone_id: milestone.id })
  await request()
  const list = `/projects/${project.id}/milestones/${milestone.id}/merge_requests`
  expect((await forge.as(developer).get(list)).body.map((one: { iid: number }) => one.iid)).toEqual([iid])
  await forge.as(forge.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'private' })
  const seen = (await forge.as(await forge.user()).get(list)).body
  await forge.as(forge.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'enabled' })
  expect(seen).toEqual([])
})

test('a conflict asks the author to resolve it, once, until they push', async () => {
  const update = (content: string) => ({ action: 'update', file_path: 'text', content })
  const { at, id, source_branch } = await request({}, update('theirs\n'))
  const todos = async () => {
    const found = (await forge.as(developer).get('/todos?action=unmergeable')).body as Array<{ target: { id: number } }>
    return found.filter(({ target }) => target.id === id).length
  }
  expect([(await forge.as(developer).get(at)).body.merge_status, await todos()]).toEqual(['can_be_merged', 0])
  await commit('main', update('ours\n'))
  for (const _ of [1, 2]) expect((await forge.as(maintainer).get(at)).body.merge_status).toBe('cannot_be_merged')
  expect(await todos()).toBe(1)
  const actions = [{ action: 'create', file_path: 'more', content: 'x' }]
  await forge.as(developer).post(`/projects/${project.id}/repository/commits`, { branch: source_branch, commit_message: 'More', actions })
  await forge.drain()
  expect(await todos()).toBe(0)
})

test('open discussions stop a merge where all must be resolved, and resolving them lets it through', async () => {
  const { at } = await request()
  await forge.as(forge.root).put(`/projects/${project.id}`, { only_allow_merge_if_all_discussions_are_resolved: true })
  const { body: discussion } = await forge.as(developer).post(`${at}/discussions`, { body: 'Why?' })
  const refused = await forge.as(maintainer).put(`${at}/merge`)
  const { body } = await forge.as(maintainer).get(at)
  expect([refused.status, body.detailed_merge_status, body.blocking_discussions_resolved]).toEqual([405, 'discussions_not_resolved', false])
  await forge.as(maintainer).put(`${at}/discussions/${discussion.id}`, { resolved: true })
  expect((await forge.as(maintainer).put(`${at}/merge`)).body.state).toBe('merged')
  await forge.as(forge.root).put(`/projects/${project.id}`, { only_allow_merge_if_all_discussions_are_resolved: false })
})
