/** Push rules as pages: of a project, a group and the instance. */
import { expect, test } from 'vitest'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { testForge } from '../../../../test/support/forge.ts'

test('a project shows the rules in force, and gets its own by saving them', async () => {
  const forge = await testForge()
  const owner = await forge.user({ password })
  const group = await forge.group({ owner })
  const project = await forge.project({ group })
  const browser = await signedIn(forge, owner)
  const ofGroup = `/groups/${group.full_path}/-/settings/push_rules`
  const ofProject = `/${project.full_path}/settings/push_rules`
  expect((await browser.get(ofProject)).text).toContain('No rules are in force.')
  const sent = { file_name_regex: '\\.exe$', max_file_size: '5', prevent_secrets: 'true' }
  await browser.submit(ofGroup, ofGroup, sent)
  expect((await forge.as(owner).get(`/groups/${group.id}/push_rule`)).body).toMatchObject({
    ...sent,
    max_file_size: 5,
    prevent_secrets: true,
  })
  const inherited = (await browser.get(ofProject)).text
  expect(inherited).toContain('In force are the rules of a group above.')
  expect(inherited).toMatch(/id="file_name_regex"[^>]*value="\\\.exe\$"/)
  const refused = await browser.submit(ofProject, ofProject, { ...sent, file_name_regex: '(' })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('is not a regular expression in the syntax of RE2')])
  await browser.submit(ofProject, ofProject, { ...sent, max_file_size: '7' })
  expect((await browser.get(ofProject)).text).toContain('These rules are of this project')
  await browser.submit(ofProject, `${ofProject}/remove`, {})
  expect((await forge.as(owner).get(`/projects/${project.id}/push_rule`)).body).toBeNull()
  expect((await browser.get('/admin/push_rule')).status).toBe(404)
})
