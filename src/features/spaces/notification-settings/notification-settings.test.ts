import { beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

test('until somebody chooses, they hear of what they take part in, by their primary address', async () => {
  const user = await forge.user()
  const group = await forge.group({ guest: user })
  const project = await forge.project({ group, files: null })
  const client = forge.as(user)

  expect((await client.get('/notification_settings')).body).toEqual({ level: 'participating', notification_email: user.email })
  expect((await client.get(`/groups/${group.id}/notification_settings`)).body).toEqual({ level: 'global' })
  expect((await client.get(`/projects/${project.id}/notification_settings`)).body).toEqual({ level: 'global' })
})

test('each place keeps its own level and switches, which are shown with the level custom alone', async () => {
  const user = await forge.user()
  const project = await forge.project({ reporter: user, files: null })
  const client = forge.as(user)
  const at = `/projects/${project.id}/notification_settings`

  const custom = await client.put(at, { level: 'custom', new_note: true })
  const more = await client.put(at, { new_issue: 'true', failed_pipeline: false })
  const watch = await client.put(at, { level: 'watch' })
  const again = await client.put(at, { level: 'custom' })

  expect(custom.body).toMatchObject({ level: 'custom', events: { new_note: true, new_issue: false, failed_pipeline: true } })
  expect(Object.keys(custom.body.events)).toHaveLength(14)
  expect(more.body.events).toMatchObject({ new_note: true, new_issue: true, failed_pipeline: false })
  expect([watch.status, watch.body]).toEqual([200, { level: 'watch' }])
  expect(again.body).toEqual(more.body)
  expect((await client.get('/notification_settings')).body.level).toBe('participating')
})

test('the level in a project is told with the permissions of its members', async () => {
  const user = await forge.user()
  const group = await forge.group({ developer: user })
  const project = await forge.project({ group, reporter: user, files: null })
  const client = forge.as(user)
  await client.put(`/projects/${project.id}/notification_settings`, { level: 'mention' })
  await client.put(`/groups/${group.id}/notification_settings`, { level: 'disabled' })
  expect((await client.get(`/projects/${project.id}`)).body.permissions).toEqual({
    project_access: { access_level: 20, notification_level: 4 },
    group_access: { access_level: 30, notification_level: 0 },
  })
})

test('mail goes to a confirmed address of the user, and to the primary one again once that is removed', async () => {
  const user = await forge.user()
  const client = forge.as(user)
  const address = `${user.username}-work@example.com`
  const other = `${user.username}-private@example.com`
  const { body } = await forge.as(forge.root).post(`/users/${user.id}/emails`, { email: address, skip_confirmation: true })
  await client.post('/user/emails', { email: other })

  const set = await client.put('/notification_settings', { level: 'watch', notification_email: address.toUpperCase() })
  const refused = [
    await client.put('/notification_settings', { notification_email: 'somebody@example.com', level: 'disabled' }),
    await client.put('/notification_settings', { notification_email: other }),
  ]

  expect(set.body).toEqual({ level: 'watch', notification_email: address })
  expect(refused.map(({ status, body }) => [status, body])).toEqual([
    [400, { message: { notification_email: ['is not an email you own'] } }],
    [400, { message: { notification_email: ['is not an email you own'] } }],
  ])
  expect((await client.get('/notification_settings')).body).toEqual({ level: 'watch', notification_email: address })
  expect((await client.delete(`/user/emails/${body.id}`)).status).toBe(204)
  expect((await client.get('/notification_settings')).body.notification_email).toBe(user.email)
})

test('of changes at once none is lost', async () => {
  const user = await forge.user()
  const client = forge.as(user)
  const names = ['new_note', 'new_issue', 'close_issue', 'reopen_issue', 'merge_merge_request']
  await Promise.all(names.map((name) => client.put('/notification_settings', { level: 'custom', [name]: true })))
  const { events } = (await client.get('/notification_settings')).body
  expect(names.map((name) => events[name])).toEqual(names.map(() => true))
})

test('nobody sets what a place that they cannot see would send, a level that is none is refused', async () => {
  const user = await forge.user()
  const hidden = await forge.project({ visibility: 'private', files: null })
  const client = forge.as(user)
  expect((await client.put(`/projects/${hidden.id}/notification_settings`, { level: 'watch' })).status).toBe(404)
  expect((await client.put('/notification_settings', { level: 'loud' })).status).toBe(400)
  expect((await client.put('/notification_settings', { new_note: 'perhaps' })).status).toBe(400)
  expect((await forge.anonymous.get('/notification_settings')).status).toBe(401)
})
