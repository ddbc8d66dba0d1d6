/** Approvals: who may give and take back one, and what they show. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let author: TestUser
let developer: TestUser
let guest: TestUser
let project: TestProject
let requests = 0

beforeAll(async () => {
  forge = await testForge()
  author = await forge.user()
  developer = await forge.user()
  guest = await forge.user()
  project = await forge.project({ developer, guest, visibility: 'public' })
})

async function prepared(by = author) {
  requests += 1
  await shape(project.dir, [{ branch: `topic${requests}`, parents: ['main'], files: { f: 'x\n' } }])
  const request = await forge.mergeRequest(project, by, { source_branch: `topic${requests}` })
  const path = `/projects/${project.id}/merge_requests/${request.iid}`
  return { request, path, approve: (user: TestUser, body = {}) => forge.as(user).post(`${path}/approve`, body) }
}

test('a developer approves once, is named with the instant, and takes it back', async () => {
  const { request, path, approve } = await prepared()
  const { status, body } = await approve(developer, { sha: request.head_oid })
  expect([status, body]).toMatchObject([
    201,
    {
      iid: request.iid,
      approved: true,
      approved_by: [{ user: { username: developer.username }, approved_at: expect.stringMatching(/Z$/) }],
      user_has_approved: true,
      user_can_approve: false,
      approvals_left: 0,
    },
  ])
  expect((await approve(developer)).status).toBe(401)
  expect((await forge.as(guest).get(`${path}/approvals`)).body).toMatchObject({
    approved: true,
    user_has_approved: false,
    user_can_approve: false,
  })
  expect((await forge.as(guest).get(`${path}/approval_state`)).body).toEqual({ approval_rules_overwritten: false, rules: [] })

  const taken = await forge.as(developer).post(`${path}/unapprove`, {})
  expect([taken.status, taken.body]).toMatchObject([201, { approved: false, approved_by: [], user_can_approve: true }])
  expect((await forge.as(developer).post(`${path}/unapprove`, {})).status).toBe(404)
})

test('guests who wrote it may approve it, other guests and strangers may not, and nobody what is closed', async () => {
  const own = await prepared(guest)
  expect((await own.approve(guest)).status).toBe(201)
  const { request, approve } = await prepared()
  expect((await approve(guest)).status).toBe(403)
  expect((await approve(author)).status).toBe(403)
  await forge.app.db.updateTable('merge_requests').set({ state: 'closed' }).where('id', '=', request.id).execute()
  expect((await approve(developer)).status).toBe(403)
})

test('a head that has moved is refused with 409, and a hundred approvals at once are one', async () => {
  const { path, approve } = await prepared()
  expect((await approve(developer, { sha: '1'.repeat(40) })).status).toBe(409)
  const answers = await Promise.all(Array.from({ length: 100 }, () => approve(developer)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect((await forge.as(developer).get(`${path}/approvals`)).body.approved_by).toHaveLength(1)
})

test('people can not reset approvals: bot users can', async () => {
  const { path, approve } = await prepared()
  await approve(developer)
  expect((await forge.as(developer).put(`${path}/reset_approvals`, {})).status).toBe(403)
  const bot = await forge.user()
  await forge.app.db.updateTable('users').set({ kind: 'bot' }).where('id', '=', bot.id).execute()
  await forge.app.db
    .insertInto('members')
    .values({ project_id: project.id, user_id: bot.id, access_level: 30, created_at: new Date().toISOString() } as never)
    .execute()
  expect((await forge.as(bot).put(`${path}/reset_approvals`, {})).status).toBe(202)
  expect((await forge.as(guest).get(`${path}/approvals`)).body.approved).toBe(false)
})

test('approvals are of a change: a push or a new target removes them; a comment, or commits on the target, do not', async () => {
  const { path, approve } = await prepared()
  const given = async () => (await forge.as(forge.root).get(`${path}/approvals`)).body.approved_by.length
  const at = `/projects/${project.id}/repository`
  const commit = (branch: string, file: string) =>
    forge.as(forge.root).post(`${at}/files/${file}-${requests}`, { branch, content: 'x', commit_message: 'Change' })
  await approve(developer)
  await forge.as(forge.root).post(`${path}/notes`, { body: 'Fine' })
  await commit('main', 'aside')
  await forge.drain()
  expect(await given()).toBe(1)

  expect((await commit(`topic${requests}`, 'more')).status).toBe(201)
  await forge.drain()
  expect(await given()).toBe(0)

  await approve(developer)
  await forge.as(forge.root).post(`${at}/branches`, { branch: `other${requests}`, ref: 'main' })
  expect((await forge.as(forge.root).put(path, { target_branch: `other${requests}` })).status).toBe(200)
  expect(await given()).toBe(0)
})
