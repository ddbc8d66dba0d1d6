/** The settings of approvals as pages: rules, what is said of a merge request, and approving with a password. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let ada: TestUser
let project: TestProject
let browser: Browser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  ada = await forge.user({ name: 'Ada Lovelace' })
  project = await forge.project({ maintainer: owner, developer: ada })
  browser = await signedIn(forge, owner)
})

test('a maintainer adds, changes and deletes a rule', async () => {
  const settings = `/${project.full_path}/settings/merge_requests`
  const rules = async () => (await forge.as(owner).get(`/projects/${project.id}/approval_rules`)).body
  expect((await browser.get(settings)).text).toContain('No approval is required')
  const sent = { name: 'Readers', approvals_required: '1', users: `@${ada.username}`, groups: '', branches: 'all' }
  const unknown = await browser.submit(settings, `/${project.full_path}/approval_rules`, { ...sent, users: 'nobody-here' })
  expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('nobody-here')])
  await browser.submit(settings, `/${project.full_path}/approval_rules`, sent)
  const [{ id }] = await rules()
  expect(await rules()).toMatchObject([{ name: 'Readers', users: [{ id: ada.id }], applies_to_all_protected_branches: false }])
  await browser.submit(settings, `/${project.full_path}/approval_rules/${id}`, { ...sent, name: 'Critics', branches: 'protected' })
  expect(await rules()).toMatchObject([{ name: 'Critics', applies_to_all_protected_branches: true }])
  // The API may name several branches, which the form keeps.
  const { body: release } = await forge.as(owner).post(`/projects/${project.id}/protected_branches`, { name: 'release/*' })
  const main = (await forge.as(owner).get(`/projects/${project.id}/protected_branches/main`)).body
  const several = { protected_branch_ids: [main.id, release.id], applies_to_all_protected_branches: false }
  await forge.as(owner).put(`/projects/${project.id}/approval_rules/${id}`, several)
  expect((await browser.get(settings)).text).toMatch(/<option value="several" selected>\s*main, release\/\*/)
  await browser.submit(settings, `/${project.full_path}/approval_rules/${id}`, { ...sent, name: 'Both', branches: 'several' })
  expect((await rules())[0]).toMatchObject({ name: 'Both', protected_branches: [{ name: 'main' }, { name: 'release/*' }] })
  await browser.submit(settings, `/${project.full_path}/approval_rules/${id}/delete`, {})
  expect(await rules()).toEqual([])
})

test('an owner changes rules and settings of a group, and projects below show them', async () => {
  const group = await forge.group({ owner })
  const inside = await forge.project({ group })
  const [settings, base] = [`/groups/${group.full_path}/-/settings/merge_requests`, `/groups/${group.full_path}/-/approval_rules`]
  expect((await browser.get(settings)).text).toContain('This group requires no approval')
  const sent = { name: 'Safety & <care>', approvals_required: '1', users: ada.username, groups: '' }
  const unknown = await browser.submit(settings, base, { ...sent, users: 'nobody-here' })
  expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('includes people who are not there: nobody-here')])
  await browser.submit(settings, base, sent)
  const rules = async () => (await forge.as(owner).get(`/groups/${group.id}/approval_rules`)).body
  const [{ id }] = await rules()
  await browser.submit(settings, settings, { reset_approvals_on: 'push', require_password_to_approve: 'true' })
  const below = (await browser.get(`/${inside.full_path}/settings/merge_requests`)).text
  expect(below).toContain('Rules of groups above')
  expect(below).toContain('Safety &amp; &lt;care&gt;')
  expect(below).toContain('A group above demands some of this')
  expect(below).toMatch(/value="push" checked/)
  await browser.submit(settings, `${base}/${id}`, { ...sent, name: 'Care', users: '', groups: group.full_path })
  expect(await rules()).toMatchObject([{ name: 'Care', users: [], groups: [{ full_path: group.full_path }] }])
  await browser.submit(settings, `${base}/${id}/delete`, {})
  expect(await rules()).toEqual([])
  expect((await browser.get(`/${inside.full_path}/settings/merge_requests`)).text).not.toContain('Rules of groups above')
})

test('the merge box says what is missing and who can give it, and asks for the password where the project wants it', async () => {
  await shape(project.dir, [{ branch: 'topic', parents: ['main'], files: { f: 'x\n' } }])
  const { iid } = await forge.mergeRequest(project, ada, { source_branch: 'topic' })
  const rule = { name: 'Owners', approvals_required: 1, user_ids: [owner.id] }
  await forge.as(owner).post(`/projects/${project.id}/approval_rules`, rule)
  const at = `/${project.full_path}/merge_requests/${iid}`
  expect((await browser.get(at)).text).toMatch(/Needs<\/b>\s*1 approval of <bdi>Owners<\/bdi>/)
  await browser.submit(`/${project.full_path}/settings/merge_requests`, `/${project.full_path}/settings/merge_requests`, {
    require_password_to_approve: 'true',
    reset_approvals_on: 'change',
  })
  const wrong = await browser.submit(at, `${at}/approve`, { proof: 'not it' })
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('is wrong')])
  await browser.submit(at, `${at}/approve`, { proof: password })
  expect((await browser.get(at)).text).not.toContain('Owners')
})
