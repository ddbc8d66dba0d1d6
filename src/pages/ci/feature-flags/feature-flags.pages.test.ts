/** The page of the feature flags of a project: without script, and for those who may. */
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'

test('a flag is created, switched and deleted on its page, which shows how a program connects', async () => {
  const forge = await testForge()
  const [maintainer, reporter] = [await forge.user({ password }), await forge.user({ password })]
  const project = await forge.project({ maintainer, reporter, files: null })
  const at = `/${project.full_path}/-/feature_flags`
  const flag = async () => (await forge.as(maintainer).get(`/projects/${project.id}/feature_flags/dark_mode`)).body
  const signedIn = async ({ username }: { username: string }) => {
    const me = browserOf(forge.server)
    await me.submit('/users/sign_in', '/users/sign_in', { login: username, password })
    return me
  }
  const me = await signedIn(maintainer)
  const sent = { name: 'dark_mode', description: '<b>Darker</b>', audience: 'userWithId', users: ' ada , bob', environments: 'production' }
  expect((await me.submit(at, at, sent)).status).toBe(303)
  expect((await flag()).strategies).toMatchObject([
    { name: 'userWithId', parameters: { userIds: 'ada,bob' }, scopes: [{ environment_scope: 'production' }] },
  ])
  const page = await me.get(at)
  expect(readDocument(page.text).faults).toEqual([])
  expect(page.text).not.toContain('<b>Darker')
  expect(page.text).toContain(`/api/v4/feature_flags/unleash/${project.id}`)
  expect((await me.submit(at, `${at}/dark_mode/switch`, { active: 'false' })).status).toBe(303)
  expect((await flag()).active).toBe(false)

  const again = await me.submit(at, at, { ...sent, audience: 'flexibleRollout', percent: '101' })
  expect([again.status, again.text.includes('must be a number from 0 to 100')]).toEqual([422, true])
  expect(readDocument(again.text).faults).toEqual([])
  const idOf = (text: string) => /aria-label="Instance ID">([\w-]+)</.exec(text)?.[1]
  const before = idOf((await me.get(at)).text)
  expect((await me.submit(at, `${at}/reset_instance_id`)).status).toBe(303)
  expect(idOf((await me.get(at)).text)).not.toBe(before)

  expect((await (await signedIn(reporter)).get(at)).status).toBe(403)
  expect((await me.submit(at, `${at}/dark_mode/delete`)).status).toBe(303)
  expect((await flag()).name).toBeUndefined()
})
