/** The numbers that script shows in the header and in the tabs of groups. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let me: Browser
beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  me = await signedIn(forge, owner)
})

const read = async (browser: Browser, path: string) => JSON.parse((await browser.get(path)).text)

test('one’s own are open issues and merge requests that are assigned to one, and pending to-do items', async () => {
  expect(await read(me, '/dashboard/counts')).toEqual({ issues: 0, merge_requests: 0, todos: 0 })
  const project = await forge.project({ owner })
  await git(project.dir, 'branch', 'topic', 'main')
  const issue = await forge.issue(project, owner, { assignee_ids: [owner.id] })
  await forge.issue(project, owner)
  await forge.mergeRequest(project, owner, { source_branch: 'topic', assignee_ids: [owner.id] })
  await forge.as(owner).post(`/projects/${project.id}/issues/${issue.iid}/todo`)
  const todos = (await forge.as(owner).get('/todos')).body.length
  expect(todos).toBeGreaterThan(0)
  expect(await read(me, '/dashboard/counts')).toEqual({ issues: 1, merge_requests: 1, todos })
  await forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { state_event: 'close' })
  expect(await read(me, '/dashboard/counts')).toMatchObject({ issues: 0, merge_requests: 1 })
  expect((await browserOf(forge.server).get('/dashboard/counts')).location).toContain('/users/sign_in')
})

test('those of a group are what the reader can see in it, and a hidden group has none', async () => {
  const group = await forge.group({ owner, visibility: 'public' })
  const [open, hidden] = [await forge.project({ group, visibility: 'public' }), await forge.project({ group, visibility: 'private' })]
  for (const project of [open, hidden]) await forge.issue(project, owner)
  const at = `/groups/${group.full_path}/-/counts`
  const anonymous = browserOf(forge.server)
  expect(await read(me, at)).toEqual({ issues: 2, merge_requests: 0 })
  expect(await read(anonymous, at)).toEqual({ issues: 1, merge_requests: 0 })
  expect((await anonymous.get(`/groups/${group.full_path}`)).text).toContain(`data-counts="${at}"`)
  const secret = await forge.group({ owner, visibility: 'private' })
  expect((await anonymous.get(`/groups/${secret.full_path}/-/counts`)).status).toBe(404)
})

test('they cost a fixed number of statements, and no process', async () => {
  const cost = () => forge.cost(() => me.get('/dashboard/counts'))
  await cost()
  const before = await cost()
  expect([before.statements <= 12, before.processes]).toEqual([true, 0])
  const project = await forge.project({ owner })
  for (let index = 0; index < 3; index += 1) await forge.issue(project, owner, { assignee_ids: [owner.id] })
  await cost()
  expect(await cost()).toEqual(before)
})

test('one’s own come with each page, counted once a minute, and anew after a form', async () => {
  const reader = await forge.user({ password })
  const mine = await signedIn(forge, reader)
  const project = await forge.project({ owner: reader })
  const at = `/${project.full_path}`
  const page = () => mine.get(`${at}/issues`)
  expect((await page()).text).toContain('data-known="{&quot;issues&quot;:0,&quot;merge_requests&quot;:0,&quot;todos&quot;:0}"')
  const issue = await forge.issue(project, reader, { assignee_ids: [reader.id] })
  await page()
  const before = await forge.cost(page)
  expect((await page()).text).toContain('{&quot;issues&quot;:0')
  await mine.submit(at, `${at}/star`)
  const { text } = await page()
  expect(text).toContain('{&quot;issues&quot;:1')
  expect(text).toMatch(/data-count="issues">Issues <span class="count">1<\/span>/)
  expect((await forge.cost(page)).statements).toBeLessThanOrEqual(before.statements)
  await forge.as(reader).put(`/projects/${project.id}/issues/${issue.iid}`, { state_event: 'close' })
  expect(JSON.parse((await mine.get('/dashboard/counts')).text)).toEqual({ issues: 0, merge_requests: 0, todos: 0 })
  expect((await page()).text).toContain('{&quot;issues&quot;:0')
  expect((await browserOf(forge.server).get('/explore/projects')).text).not.toContain('data-known')
})
