/** Merging requests from forks: their commits come along, and rights in both projects count. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let maintainer: TestUser
let author: TestUser
let project: TestProject
let fork: { id: number; dir: string }
let counter = 0

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  author = await forge.user()
  project = await forge.project({ maintainer, visibility: 'public', files: { text: 'a\n' } })
  const { body } = await forge.as(author).post(`/projects/${project.id}/fork`)
  await forge.drain()
  fork = { id: body.id, dir: forge.app.git.open(body.id).dir }
})

async function commit(branch: string, at = fork.id, user = author, start_branch = 'main') {
  const actions = [{ action: 'create', file_path: `file-${++counter}.txt`, content: 'x' }]
  const exists = (await forge.as(user).get(`/projects/${at}/repository/branches/${branch}`)).status === 200
  const body = { branch, ...(!exists && { start_branch }), commit_message: `Commit ${counter}`, actions }
  const answer = await forge.as(user).post(`/projects/${at}/repository/commits`, body)
  expect(answer.status).toBe(201)
  return answer.body.id as string
}

async function request(branch: string, fields: object = {}) {
  await commit(branch)
  const body = { source_branch: branch, target_branch: 'main', title: branch, target_project_id: project.id, ...fields }
  const answer = await forge.as(author).post(`/projects/${fork.id}/merge_requests`, body)
  expect(answer.status).toBe(201)
  return `/projects/${project.id}/merge_requests/${answer.body.iid}`
}

test('commits of a fork are merged into the target, also those pushed just now', async () => {
  const at = await request('one', { remove_source_branch: true })
  const newest = await commit('one')
  const { body } = await forge.as(maintainer).get(at)
  expect([body.sha, body.merge_status, body.user.can_merge]).toEqual([newest, 'can_be_merged', true])
  expect((await forge.as(author).put(`${at}/merge`)).status).toBe(401)

  const merged = await forge.as(maintainer).put(`${at}/merge`)

  expect([merged.status, merged.body.state]).toEqual([200, 'merged'])
  expect(await git(project.dir, 'show', '--no-patch', '--format=%P', 'main')).toMatch(newest)
  // Its author wanted the branch to go, and may remove it: who merged it may not.
  expect((await forge.as(author).get(`/projects/${fork.id}/repository/branches/one`)).status).toBe(404)
})

test('who merges can’t remove a branch of a fork to which they may not push', async () => {
  const at = await request('two')
  expect((await forge.as(maintainer).put(`${at}/merge`, { should_remove_source_branch: true })).status).toBe(200)
  await forge.drain()
  expect((await forge.as(author).get(`/projects/${fork.id}/repository/branches/two`)).status).toBe(200)
})

test('the author of a fork rebases onto the target; others may not', async () => {
  const at = await request('three')
  await commit('main', project.id, maintainer)
  expect((await forge.as(maintainer).put(`${at}/rebase`)).status).toBe(403)
  expect((await forge.as(author).put(`${at}/rebase`)).status).toBe(202)
  const main = await git(project.dir, 'rev-parse', 'main')
  expect(await git(fork.dir, 'show', '--no-patch', '--format=%P', 'three')).toBe(main)
  expect((await forge.as(maintainer).put(`${at}/merge`)).body.state).toBe('merged')
})

test('a request whose fork or source branch is gone can’t be merged', async () => {
  const at = await request('four')
  expect((await forge.as(author).delete(`/projects/${fork.id}/repository/branches/four`)).status).toBe(204)
  expect((await forge.as(maintainer).get(at)).body.state).toBe('closed')
  const second = await request('five')
  expect((await forge.as(author).delete(`/projects/${fork.id}`)).status).toBe(202)
  await forge.drain()
  const { body } = await forge.as(maintainer).get(second)
  expect([body.source_project_id, body.state, body.detailed_merge_status]).toEqual([null, 'closed', 'not_open'])
  expect((await forge.as(maintainer).put(`${second}/merge`)).status).toBe(405)
})
