/** Merging by the API; what merging does is tested beside it. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import type { MergeRequest } from '../../../db/tables.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject

const at = ({ iid }: MergeRequest) => `/projects/${project.id}/merge_requests/${iid}`
let counter = 0

/** Creates a merge request from a new branch with one commit. */
async function request(user = developer, fields: Parameters<Forge['mergeRequest']>[2] | object = {}): Promise<MergeRequest> {
  const branch = `topic-${++counter}`
  const actions = [{ action: 'create', file_path: `${branch}.txt`, content: 'x' }]
  const body = { branch, start_branch: 'main', commit_message: 'Propose', actions }
  await forge.as(developer).post(`/projects/${project.id}/repository/commits`, body)
  return forge.mergeRequest(project, user, { ...fields, source_branch: branch })
}

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  developer = await forge.user()
  project = await forge.project({ maintainer, developer })
})

test('a merge is answered with the merged request', async () => {
  const mine = await request()
  const before = await forge.as(maintainer).get(at(mine))
  expect(before.body).toMatchObject({ merge_status: 'can_be_merged', detailed_merge_status: 'mergeable', user: { can_merge: true } })
  const { status, body } = await forge.as(maintainer).put(`${at(mine)}/merge`, { should_remove_source_branch: true, sha: mine.head_oid })
  expect([status, body.state, body.merged_by.username]).toEqual([200, 'merged', maintainer.username])
  expect(body.merge_commit_sha).toBe(await git(project.dir, 'rev-parse', 'main'))
  expect((await forge.as(maintainer).get(`/projects/${project.id}/repository/branches/${mine.source_branch}`)).status).toBe(404)
})

test('refused merges are answered as clients know them', async () => {
  const guest = await forge.user()
  const mine = await request()
  const told = async (user: TestUser, body: object = {}) => {
    const answer = await forge.as(user).put(`${at(mine)}/merge`, body)
    return [answer.status, answer.body]
  }
  expect(await told(developer)).toEqual([401, { message: '401 Unauthorized' }])
  expect(await told(guest)).toEqual([404, { message: '404 Project Not Found' }])
  expect(await told(maintainer, { sha: 'f'.repeat(40) })).toEqual([
    409,
    { message: `SHA does not match HEAD of source branch: ${mine.head_oid}` },
  ])
  expect(await told(maintainer, { squash: 'perhaps' })).toEqual([400, { error: 'squash is invalid' }])
  await forge.as(developer).put(at(mine), { title: 'WIP: it' })
  expect(await told(maintainer)).toEqual([405, { message: '405 Method Not Allowed' }])
  await forge.as(developer).put(at(mine), { title: 'it', state_event: 'close' })
  expect(await told(maintainer)).toEqual([405, { message: '405 Method Not Allowed' }])
  const file = (branch: string, content: string) =>
    forge.as(maintainer).post(`/projects/${project.id}/repository/commits`, {
      branch,
      commit_message: 'Clash',
      actions: [{ action: 'create', file_path: 'clash.txt', content }],
    })
  await forge.as(developer).put(at(mine), { state_event: 'reopen' })
  await Promise.all([file(mine.source_branch, 'a'), file('main', 'b')])
  expect(await told(maintainer)).toEqual([406, { message: 'Branch cannot be merged' }])
  expect((await forge.as(maintainer).get(at(mine))).body).toMatchObject({ merge_status: 'cannot_be_merged', has_conflicts: true })
})

test('a merge that waits is cancelled by either method, and only once', async () => {
  const mine = await request()
  await forge.as(developer).post(`/projects/${project.id}/statuses/${mine.head_oid}`, { state: 'running', ref: mine.source_branch })
  const waiting = () => forge.as(maintainer).put(`${at(mine)}/merge`, { merge_when_pipeline_succeeds: true })
  expect((await waiting()).body).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true, merge_user: { id: maintainer.id } })
  const path = `${at(mine)}/cancel_merge_when_pipeline_succeeds`
  const posted = await forge.as(developer).post(path)
  expect([posted.status, posted.body.merge_when_pipeline_succeeds]).toEqual([201, false])
  await waiting()
  expect((await forge.as(maintainer).put(path)).status).toBe(200)
  const none = await forge.as(maintainer).put(path)
  expect([none.status, none.body]).toEqual([406, { message: "Can't cancel the automatic merge" }])
  const stranger = await forge.user()
  await forge.as(maintainer).post(`/projects/${project.id}/members`, { user_id: stranger.id, access_level: 20 })
  expect((await forge.as(stranger).put(path)).status).toBe(401)
})

test('a rebase puts the source on top of the target, or tells the conflict', async () => {
  const mine = await request()
  await forge.as(maintainer).post(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Go on',
    actions: [{ action: 'create', file_path: `on-${counter}.txt`, content: 'x' }],
  })
  const { status, body } = await forge.as(developer).put(`${at(mine)}/rebase`)
  expect([status, body]).toEqual([202, { rebase_in_progress: false }])
  const main = await git(project.dir, 'rev-parse', 'main')
  expect(await git(project.dir, 'show', '--no-patch', '--format=%P %an', mine.source_branch)).toBe(`${main} ${developer.name}`)
  expect((await forge.as(developer).get(at(mine))).body.sha).toBe(await git(project.dir, 'rev-parse', mine.source_branch))
  const reporter = await forge.user()
  await forge.as(maintainer).post(`/projects/${project.id}/members`, { user_id: reporter.id, access_level: 20 })
  const refused = await forge.as(reporter).put(`${at(mine)}/rebase`)
  expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden - Cannot push to source branch' }])
})

test('a rebase without CI leaves a skipped pipeline of the branch', async () => {
  const own = await forge.project({ maintainer, commits: [{ message: 'First', files: { '.gitlab-ci.yml': 'test:\n  script: [x]\n' } }] })
  const api = forge.as(maintainer)
  const commit = (branch: string, more: object = {}) =>
    api.post(`/projects/${own.id}/repository/commits`, {
      ...{ branch, commit_message: branch, ...more },
      actions: [{ action: 'create', file_path: branch, content: 'x' }],
    })
  await commit('topic', { start_branch: 'main' })
  const { iid } = await forge.mergeRequest(own, maintainer, { source_branch: 'topic' })
  await commit('main')
  expect((await api.put(`/projects/${own.id}/merge_requests/${iid}/rebase`, { skip_ci: true })).status).toBe(202)
  await forge.drain()
  const { body } = await api.get(`/projects/${own.id}/pipelines?ref=topic`)
  expect([body[0].status, body[0].sha]).toEqual(['skipped', await git(own.dir, 'rev-parse', 'topic')])
})

test('what merging would make can be fetched, and follows both branches', async () => {
  const mine = await request()
  const first = await forge.as(developer).get(`${at(mine)}/merge_ref`)
  expect(first.status).toBe(200)
  const main = await git(project.dir, 'rev-parse', 'main')
  expect(await git(project.dir, 'show', '--no-patch', '--format=%H %P', `refs/merge-requests/${mine.iid}/merge`)).toBe(
    `${first.body.commit_id} ${main} ${mine.head_oid}`,
  )
  const again = await forge.cost(() => forge.as(developer).get(`${at(mine)}/merge_ref`))
  expect(again.processes).toBeLessThanOrEqual(1)
  await git(project.dir, 'update-ref', 'refs/heads/main', await git(project.dir, 'rev-parse', 'main~1'))
  expect((await forge.as(developer).get(`${at(mine)}/merge_ref`)).body.commit_id).not.toBe(first.body.commit_id)
  await git(project.dir, 'update-ref', 'refs/heads/main', main)
})
