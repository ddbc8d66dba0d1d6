/** Merging when the pipeline succeeds, by the statuses of commits: when it fires, in whose name, and what takes it back. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let author: TestUser
let maintainer: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[author, maintainer] = [await forge.user(), await forge.user()]
})

interface Waiting {
  project: TestProject
  at: string
  /** The tip of the source branch. */
  head: string
}

/** A merge request whose pipeline is running, set to be merged when it succeeds. */
async function waiting(params: object = {}): Promise<Waiting> {
  const project = await forge.project({ maintainer, developer: author })
  await git(project.dir, 'branch', 'stable', 'main')
  const actions = [{ action: 'create', file_path: 'added', content: 'x' }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Topic', actions }
  expect((await forge.as(author).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
  const { body } = await forge
    .as(author)
    .post(`/projects/${project.id}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
  const one = { project, at: `/projects/${project.id}/merge_requests/${body.iid}`, head: body.sha as string }
  await post(one, 'running')
  const set = await forge.as(maintainer).put(`${one.at}/merge`, { merge_when_pipeline_succeeds: true, ...params })
  expect([set.status, set.body.state, set.body.merge_when_pipeline_succeeds]).toEqual([200, 'opened', true])
  return one
}

async function post({ project, head }: Waiting, state: string, name = 'default', user = author): Promise<void> {
  const { status, text } = await forge.as(user).post(`/projects/${project.id}/statuses/${head}`, { state, name, ref: 'topic' })
  expect(status, text).toBe(201)
}

const stateOf = async ({ at }: Waiting) => (await forge.as(maintainer).get(at)).body.state
const isWaiting = async ({ at }: Waiting) => (await forge.as(maintainer).get(at)).body.merge_when_pipeline_succeeds
const told = async ({ at }: Waiting) =>
  (await forge.as(maintainer).get(`${at}/notes?activity_filter=only_activity&sort=asc`)).body.map(({ body }: { body: string }) => body)

test('an automatic merge runs once all pipelines of the newest commit succeed, with the options and in the name of its user', async () => {
  const one = await waiting({ merge_commit_message: 'As agreed', should_remove_source_branch: true })
  await post(one, 'running', 'second')
  await post(one, 'success')
  await forge.drain()
  expect(await stateOf(one)).toBe('opened')

  await post(one, 'success', 'second')
  await forge.drain()

  const { body } = await forge.as(maintainer).get(one.at)
  expect([body.state, body.merged_by.id, body.merge_when_pipeline_succeeds]).toEqual(['merged', maintainer.id, false])
  expect(await git(one.project.dir, 'show', '--no-patch', '--format=%s by %an', 'main')).toBe(`As agreed by ${maintainer.name}`)
  expect((await forge.as(maintainer).get(`/projects/${one.project.id}/repository/branches/topic`)).status).toBe(404)
  expect(await told(one)).toEqual([`enabled an automatic merge when the pipeline for ${one.head} succeeds`, 'merged'])
})

test('a failed build merges nothing, and asks its author and who set it to look', async () => {
  const one = await waiting()
  const { body } = await forge.as(author).get(one.at)
  await post(one, 'failed')
  await forge.drain()
  expect([await stateOf(one), await isWaiting(one)]).toEqual(['opened', true])
  for (const user of [author, maintainer]) {
    const todos = (await forge.as(user).get('/todos?action=build_failed')).body as Array<{ action_name: string; target: { id: number } }>
    expect(todos.filter(({ target }) => target.id === body.id).map(({ action_name }) => action_name)).toEqual(['build_failed'])
  }
  // Built again, and well this time.
  await post(one, 'success')
  await forge.drain()
  expect(await stateOf(one)).toBe('merged')
})

test('a push cancels an automatic merge, however the new pipelines end, since nobody has looked at the new commits', async () => {
  const one = await waiting()
  const actions = [{ action: 'create', file_path: 'sneaky', content: 'x' }]
  const commit = { branch: 'topic', commit_message: 'Sneaky', actions }
  const pushed = await forge.as(author).post(`/projects/${one.project.id}/repository/commits`, commit)
  expect(pushed.status).toBe(201)
  await forge.drain()
  expect(await isWaiting(one)).toBe(false)
  await post(one, 'success')
  await post({ ...one, head: pushed.body.id }, 'success')
  await forge.drain()
  expect(await stateOf(one)).toBe('opened')
  expect(await told(one)).toContain('aborted the automatic merge because source branch was updated')
})

test('another target branch takes it back', async () => {
  const one = await waiting()
  expect((await forge.as(author).put(one.at, { target_branch: 'stable' })).status).toBe(200)
  await post(one, 'success')
  await forge.drain()
  expect([await stateOf(one), await isWaiting(one)]).toEqual(['opened', false])
  expect((await told(one)).slice(-2).sort()).toEqual([
    'aborted the automatic merge because target branch was changed',
    'changed target branch from `main` to `stable`',
  ])
})

test('it is taken back by hand, and told; setting it twice is told once', async () => {
  const one = await waiting()
  await forge.as(maintainer).put(`${one.at}/merge`, { merge_when_pipeline_succeeds: true, merge_commit_message: 'Other' })
  expect((await forge.as(maintainer).post(`${one.at}/cancel_merge_when_pipeline_succeeds`)).status).toBe(201)
  await post(one, 'success')
  await forge.drain()
  expect(await stateOf(one)).toBe('opened')
  expect(await told(one)).toEqual([`enabled an automatic merge when the pipeline for ${one.head} succeeds`, 'canceled the automatic merge'])
})

test('what stands in the way still does: a draft, and discussions that must be resolved', async () => {
  const one = await waiting()
  await forge.as(author).put(one.at, { title: 'Draft: Topic' })
  await post(one, 'success')
  await forge.drain()
  expect([await stateOf(one), await isWaiting(one)]).toEqual(['opened', true])
  const other = await waiting()
  await forge.as(forge.root).put(`/projects/${other.project.id}`, { only_allow_merge_if_all_discussions_are_resolved: true })
  await forge.as(author).post(`${other.at}/discussions`, { body: 'Wait' })
  await post(other, 'success')
  await forge.drain()
  expect([await stateOf(other), await isWaiting(other)]).toEqual(['opened', true])
})

test.each([
  [
    'lost the role',
    (one: Waiting, user: TestUser) => forge.as(forge.root).put(`/projects/${one.project.id}/members/${user.id}`, { access_level: 30 }),
  ],
  ['left the project', (one: Waiting, user: TestUser) => forge.as(forge.root).delete(`/projects/${one.project.id}/members/${user.id}`)],
  ['was blocked', (_: Waiting, user: TestUser) => forge.as(forge.root).post(`/users/${user.id}/block`)],
])('nothing is merged in the name of somebody who %s meanwhile', async (_, lose) => {
  const mine = maintainer
  maintainer = await forge.user()
  const one = await waiting()
  await lose(one, maintainer)
  maintainer = mine
  await post(one, 'success', 'default', author)
  await forge.drain()
  const { body } = await forge.as(forge.root).get(one.at)
  expect([body.state, body.merge_when_pipeline_succeeds]).toEqual(['opened', false])
  expect(body.merge_error).toBe('Who set it to merge automatically is no longer allowed to merge it')
})

test('a pipeline that succeeds while it is set merges too, and several signals merge once', async () => {
  const one = await waiting()
  await Promise.all([post(one, 'success'), forge.as(maintainer).put(`${one.at}/merge`, { merge_when_pipeline_succeeds: true })])
  await forge.drain()
  await forge.drain()
  expect(await stateOf(one)).toBe('merged')
  expect(await git(one.project.dir, 'rev-list', '--count', '--merges', 'main')).toBe('1')
})

test('statuses of another project, or of another commit, merge nothing', async () => {
  const one = await waiting()
  const stranger = await forge.user()
  await forge.as(forge.root).put(`/projects/${one.project.id}`, { visibility: 'public' })
  const fork = (await forge.as(stranger).post(`/projects/${one.project.id}/fork`)).body
  await forge.drain()
  const there = await forge.as(stranger).post(`/projects/${fork.id}/statuses/${one.head}`, { state: 'success', ref: 'topic' })
  expect(there.status).toBe(201)
  const here = await forge.as(stranger).post(`/projects/${one.project.id}/statuses/${one.head}`, { state: 'success', ref: 'topic' })
  expect(here.status).toBe(403)
  await post({ ...one, head: await git(one.project.dir, 'rev-parse', 'main') }, 'success')
  await forge.drain()
  expect(await stateOf(one)).toBe('opened')
})

test('a source branch that is deleted closes the merge request, and says so', async () => {
  const one = await waiting()
  expect((await forge.as(maintainer).delete(`/projects/${one.project.id}/repository/branches/topic`)).status).toBe(204)
  await forge.drain()
  expect(await stateOf(one)).toBe('closed')
  expect((await told(one)).slice(-2)).toEqual(['deleted source branch `topic`', 'closed'])
})
