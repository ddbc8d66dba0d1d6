/** A new commit may start from another branch, a commit, or a commit of the fork's source project; and a branch may be forced. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { isGate } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import { startOf } from './start.ts'

let forge: Forge
let dev: TestUser
let project: TestProject
const actions = [{ action: 'create', file_path: 'new', content: 'text' }]
const commit = (rest: Record<string, unknown>, at = project, user = dev) =>
  forge.as(user).post(`/projects/${at.id}/repository/commits`, { branch: 'fresh', commit_message: 'Change', actions, ...rest })

beforeAll(async () => {
  forge = await testForge()
  dev = await forge.user()
  project = await forge.project({ maintainer: dev, commits: ['one', 'two'].map((message) => ({ message, files: { a: message } })) })
})

test('a branch starts from the commit that start_sha names', async () => {
  const first = await git(project.dir, 'rev-parse', 'main~1')
  const { status, body } = await commit({ branch: 'by-sha', start_sha: first, stats: false })
  expect([status, body.parent_ids, body.stats]).toEqual([201, [first], undefined])
  expect((await commit({ branch: 'by-branch', start_branch: 'main' })).body.stats).toEqual({ additions: 1, deletions: 0, total: 1 })
  for (const start_sha of ['main', 'f'.repeat(40), first.slice(0, 8), await git(project.dir, 'rev-parse', 'main:a')]) {
    const answer = await commit({ branch: 'x', start_sha })
    expect([start_sha, answer.status, answer.body]).toEqual([start_sha, 400, { message: 'start_sha is not the full id of a commit' }])
  }
  const both = await commit({ branch: 'x', start_sha: first, start_branch: 'main' })
  expect([both.status, both.body]).toEqual([400, { error: 'start_branch, start_sha are mutually exclusive' }])
  const alone = await commit({ branch: 'x', start_project: String(project.id) })
  expect([alone.status, alone.body]).toEqual([400, { error: 'start_project needs start_branch or start_sha' }])
})

test('force replaces an existing branch; without it the request fails', async () => {
  await commit({ branch: 'again', start_branch: 'main' })
  const [first, before] = (await git(project.dir, 'rev-parse', 'main~1', 'again')).split('\n')
  const refused = await commit({ branch: 'again', start_sha: first })
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/^A branch called 'again' already exists/)])
  const forced = await commit({ branch: 'again', start_sha: first, force: true })
  expect([forced.status, forced.body.parent_ids]).toEqual([201, [first]])
  expect(await git(project.dir, 'rev-parse', 'again')).toBe(forced.body.id)
  const events = await forge.app.db.selectFrom('events').selectAll().where('ref', '=', 'refs/heads/again').orderBy('id').execute()
  expect(events.at(-1)).toMatchObject({ before_oid: before, after_oid: forced.body.id })
})

test('a protected branch is forced where its protection allows that', async () => {
  const [first, tip] = (await git(project.dir, 'rev-parse', 'main~1', 'main')).split('\n')
  const refused = await commit({ branch: 'main', start_sha: first, force: true })
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/force push/)])
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(tip)
  await forge.as(dev).patch(`/projects/${project.id}/protected_branches/main`, { allow_force_push: true })
  expect((await commit({ branch: 'main', start_sha: first, force: true })).status).toBe(201)
})

test('a fork starts a branch from a commit of its source, and of no other project', async () => {
  const { body } = await forge.as(dev).post(`/projects/${project.id}/fork`, { name: 'Fork', path: 'fork' })
  await forge.drain()
  const fork = { ...project, id: body.id, dir: forge.app.git.open(body.id).dir }
  const { body: later } = await commit({ branch: 'later', start_branch: 'main', actions: [{ ...actions[0], file_path: 'later' }] })
  const { status, body: made } = await commit(
    { branch: 'x', start_project: project.full_path, start_branch: 'later', actions: [{ ...actions[0], file_path: 'y' }] },
    fork,
  )
  expect([status, made.parent_ids]).toEqual([201, [later.id]])
  expect(await git(fork.dir, 'log', '--format=%H', 'x')).toContain(later.id)
  const bySha = await commit(
    { branch: 'z', start_project: String(project.id), start_sha: later.id, actions: [{ ...actions[0], file_path: 'y' }] },
    fork,
  )
  expect(bySha.status).toBe(201)

  const other = await forge.project({ maintainer: dev })
  const hidden = await forge.project()
  const start = { branch: 'w', start_branch: 'main', actions: [{ ...actions[0], file_path: 'w' }] }
  expect((await commit({ ...start, start_project: String(other.id) }, fork)).status).toBe(403)
  expect((await commit({ ...start, start_project: String(hidden.id) }, fork)).status).toBe(404)
  expect((await commit({ ...start, start_project: 'no/such' }, fork)).status).toBe(404)
  expect((await commit({ ...start, start_branch: 'none', start_project: String(project.id) }, fork)).status).toBe(400)
})

test('what a commit is made from is what its branch must still be at, also where the branch moves meanwhile', async () => {
  const commits = Array.from({ length: isGate ? 20 : 60 }, (_, index) => ({ message: `${index}`, files: { a: `${index}` } }))
  const moving = await forge.project({ maintainer: dev, commits })
  const pusher = { user: dev, ...(await findProject(forge.app.db, String(moving.id), dev)) }
  const repo = forge.app.git.open(moving.id)
  const request = { branch: 'main', commit_message: 'Change', actions: [] }
  for (const tip of (await git(moving.dir, 'rev-list', 'main')).split('\n')) {
    const starts = Array.from({ length: 10 }, () => startOf(forge.app, repo, pusher, request))
    await git(moving.dir, 'update-ref', 'refs/heads/main', tip)
    for (const { parent, before } of await Promise.all(starts)) expect(before).toBe(parent?.oid)
  }
})
