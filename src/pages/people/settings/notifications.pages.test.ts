import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

test('what one wants mail about is chosen with its switches and address, and places with their own level are listed and given up', async () => {
  const user = await forge.user({ password: 'correct horse battery' })
  const me = await signedIn(forge, user)
  const project = await forge.project({ reporter: user, files: null })
  const client = forge.as(user)
  await client.put(`/projects/${project.id}/notification_settings`, { level: 'disabled' })

  const saved = await me.submit('/profile/notifications', '/profile/notifications', {
    level: 'custom',
    notification_email: user.email,
    own_activity: 'true',
    new_issue: 'true',
  })
  const { text } = await me.get('/profile/notifications')

  expect([saved.status, saved.location]).toEqual([303, '/profile/notifications'])
  expect((await client.get('/notification_settings')).body).toMatchObject({ level: 'custom', events: { new_issue: true, new_note: false } })
  expect(text).toContain(project.full_path)
  expect(text).toMatch(/name="own_activity" type="checkbox" value="true" checked/)
  const id = /name="setting_id" value="(\d+)"/.exec(text)?.[1] ?? ''
  await me.submit('/profile/notifications', '/profile/notifications/forget', { setting_id: id })
  expect((await client.get(`/projects/${project.id}/notification_settings`)).body).toEqual({ level: 'global' })

  const refused = await me.submit('/profile/notifications', '/profile/notifications', {
    level: 'watch',
    notification_email: 'else@example.com',
  })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('is not an email you own')])
})
