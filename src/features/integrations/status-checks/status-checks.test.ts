/** Status checks: who is asked about which merge requests, what an answer is worth, and what waits for it. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

interface Received {
  headers: IncomingMessage['headers']
  raw: string
  body: { object_attributes: { iid: number; action: string }; external_approval_rule: { id: number; name: string; external_url: string } }
}

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let at: string
let url: string
let received: Received[] = []

const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const raw = Buffer.concat(chunks).toString('utf8')
    received.push({ headers: request.headers, raw, body: JSON.parse(raw) })
    response.end('thanks')
  })
})

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer] = await Promise.all([forge.user({ password }), forge.user()])
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/check?key=hidden`
})
afterAll(() => void receiver.close())

beforeEach(async () => {
  project = await forge.project({ maintainer, developer, visibility: 'public', files: { 'a.txt': 'a\n' } })
  at = `/projects/${project.id}`
  await forge.drain()
  received = []
})

const add = async (settings: object = {}) =>
  (await forge.as(maintainer).post(`${at}/external_status_checks`, { name: 'Compliance', external_url: url, ...settings })).body
const statuses = async (user: TestUser = developer) =>
  (await forge.as(user).get(`${at}/merge_requests/1/status_checks`)).body as {
    id: number
    name: string
    external_url: string
    status: string
  }[]
const answer = (check: { id: number }, sha: string, status?: string, user = developer) =>
  forge.as(user).post(`${at}/merge_requests/1/status_check_responses`, { sha, external_status_check_id: check.id, status })
const merge = (body: object = {}) => forge.as(maintainer).put(`${at}/merge_requests/1/merge`, body)

async function commit(branch: string, start_branch: string | undefined, path: string): Promise<string> {
  const actions = [{ action: 'create', file_path: path, content: path }]
  const sent = { branch, start_branch, commit_message: path, actions }
  return (await forge.as(developer).post(`${at}/repository/commits`, sent)).body.id
}

/** Merge request 1, into `main`. */
async function opened(): Promise<string> {
  const sha = await commit('topic', 'main', 'b.txt')
  await forge.as(developer).post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
  await forge.drain()
  return sha
}

test('a check is told of a merge request with a signature, and its answer counts for that head alone', async () => {
  const check = await add({ shared_secret: 'hush' })
  expect(check).toMatchObject({ name: 'Compliance', project_id: project.id, external_url: url, hmac: true, protected_branches: [] })
  const sha = await opened()
  expect(received).toHaveLength(1)
  const [{ headers, raw, body }] = received as [Received]
  expect(body.object_attributes).toMatchObject({ iid: 1, action: 'open' })
  expect(body.external_approval_rule).toEqual({ id: check.id, name: 'Compliance', external_url: url })
  expect(headers['x-gitlab-signature']).toBe(createHmac('sha256', 'hush').update(raw).digest('hex'))
  expect(JSON.stringify(headers)).not.toContain('hush')

  expect(await statuses()).toEqual([{ id: check.id, name: 'Compliance', external_url: new URL(url).origin, status: 'pending' }])
  expect((await statuses(maintainer))[0]?.external_url).toBe(url)
  expect((await answer(check, '0'.repeat(40))).status).toBe(409)
  const answered = await answer(check, sha)
  expect([answered.status, answered.body.merge_request.iid, answered.body.external_status_check.id]).toEqual([201, 1, check.id])
  expect((await statuses())[0]?.status).toBe('passed')

  await commit('topic', undefined, 'c.txt')
  await forge.drain()
  expect((await statuses())[0]?.status).toBe('pending')
  expect(received.map((one) => one.body.object_attributes.action)).toEqual(['open', 'update'])
  expect((await answer(check, sha)).status).toBe(409)
})

test('where all must pass nothing is merged before, and what was to be merged is merged by the last answer', async () => {
  const [first, second] = [await add(), await add({ name: 'Licences' })]
  await forge.as(maintainer).put(at, { only_allow_merge_if_all_status_checks_passed: true })
  const sha = await opened()
  expect((await merge()).status).toBe(405)
  await answer(first, sha)
  await answer(second, sha, 'failed')
  const { body } = await forge.as(developer).get(`${at}/merge_requests/1`)
  expect([body.detailed_merge_status, (await merge()).status]).toEqual(['status_checks_must_pass', 405])
  const browser = await signedIn(forge, maintainer)
  const page = `/${project.full_path}/merge_requests/1`
  const shown = (await browser.get(page)).text
  expect(shown).toMatch(/Compliance<\/bdi> lets it pass[\s\S]*Licences<\/bdi> does not let it pass/)
  expect(shown).toContain('Not all status checks have passed.')
  // The page doesn't read them again, as merging has asked for them.
  const cost = async () => (await forge.cost(() => browser.get(page))).statements
  const whereRequired = await cost()
  await forge.as(maintainer).put(at, { only_allow_merge_if_all_status_checks_passed: false })
  await cost()
  expect(await cost()).toBe(whereRequired)
  await forge.as(maintainer).put(at, { only_allow_merge_if_all_status_checks_passed: true })

  received = []
  await browser.submit(page, `${page}/status_checks/${second.id}/retry`, {})
  await forge.drain()
  expect(received.map((one) => one.body.external_approval_rule.name)).toEqual(['Licences'])
  expect((await statuses()).map(({ status }) => status)).toEqual(['passed', 'pending'])
  expect((await forge.as(developer).post(`${at}/merge_requests/1/status_checks/${second.id}/retry`)).status).toBe(422)
  expect((await merge({ merge_when_pipeline_succeeds: true })).body.state).toBe('opened')
  await answer(second, sha)
  await forge.drain()
  expect((await forge.as(developer).get(`${at}/merge_requests/1`)).body.state).toBe('merged')
})

test('a check for a protected branch is not told of others', async () => {
  const { body: rule } = await forge.as(maintainer).post(`${at}/protected_branches`, { name: 'release-*' })
  const check = await add({ protected_branch_ids: [rule.id] })
  expect(check.protected_branches.map(({ name }: { name: string }) => name)).toEqual(['release-*'])
  await commit('release-1', 'main', 'r.txt').catch(() => null)
  await forge.as(maintainer).put(at, { only_allow_merge_if_all_status_checks_passed: true })
  const sha = await opened()
  expect([received.length, await statuses(), (await answer(check, sha)).status, (await merge()).status]).toEqual([0, [], 404, 200])
})

test('bad input: names, addresses and branches of others, people who may not, and a secret for another host', async () => {
  const check = await add({ shared_secret: 'hush' })
  const checks = `${at}/external_status_checks`
  const post = async (body: object, user = maintainer) => (await forge.as(user).post(checks, body)).status
  const foreign = (
    await forge.as(maintainer).get(`/projects/${(await forge.project({ maintainer, files: { a: '' } })).id}/protected_branches`)
  ).body
  expect([
    await post({ name: 'Compliance', external_url: url }),
    await post({ name: ' ', external_url: url }),
    await post({ name: 'x' }),
    await post({ name: 'x', external_url: 'file:///etc/passwd' }),
    await post({ name: 'x', external_url: url, protected_branch_ids: [foreign[0]?.id ?? 0] }),
    await post({ name: 'x', external_url: url }, developer),
    (await forge.as(developer).get(checks)).status,
    (await forge.as(maintainer).put(`${checks}/999999`, { name: 'x' })).status,
  ]).toEqual([400, 400, 400, 422, 400, 403, 403, 404])
  const sha = await opened()
  const stranger = await forge.user()
  expect([(await answer(check, sha, 'passed', stranger)).status, (await answer(check, sha, 'maybe')).status]).toEqual([403, 400])
  const hooks = (await forge.as(maintainer).get(`${at}/hooks`)).body
  expect([hooks, (await forge.as(maintainer).get(`${at}/hooks/${check.id}`)).status]).toEqual([[], 404])
  const moved = await forge.as(maintainer).put(`${checks}/${check.id}`, { external_url: 'https://93.184.216.34/' })
  expect([moved.status, moved.body.hmac]).toEqual([200, false])
  expect((await forge.as(maintainer).delete(`${checks}/${check.id}`)).status).toBe(204)
  expect(await statuses()).toEqual([])
})

test('the page adds, changes and removes checks, and says why it refuses one', async () => {
  const browser = await signedIn(forge, maintainer)
  const page = `/${project.full_path}/settings/status_checks`
  expect((await browser.get(page)).text).toContain('Nobody is asked yet.')
  await browser.submit(page, page, { name: 'Audit', external_url: url, shared_secret: 'hush', branches: 'all' })
  const [check] = (await forge.as(maintainer).get(`${at}/external_status_checks`)).body
  expect(check).toMatchObject({ name: 'Audit', hmac: true })
  const refused = await browser.submit(page, page, { name: 'Audit', external_url: url, branches: 'all' })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('has already been taken')])
  await browser.submit(page, `${page}/${check.id}`, { name: 'Audit 2', external_url: url, shared_secret: '', branches: 'all' })
  await browser.submit(page, `${page}/required`, { must_pass: 'true' })
  const { body } = await forge.as(maintainer).get(`${at}/external_status_checks`)
  expect(body[0]).toMatchObject({ id: check.id, name: 'Audit 2', hmac: true })
  expect((await forge.as(maintainer).get(at)).body.only_allow_merge_if_all_status_checks_passed).toBe(true)
  await browser.submit(page, `${page}/${check.id}/remove`, {})
  expect((await browser.get(page)).text).toContain('Nobody is asked yet.')
})
