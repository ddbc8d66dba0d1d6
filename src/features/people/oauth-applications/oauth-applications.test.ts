/** Applications of the instance: created with a secret that is shown once, listed, and deleted with their tokens. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { digestOf } from '../../../access/tokens.ts'

const wanted = { name: 'Build server', redirect_uri: 'https://ci.example/callback', scopes: 'read_user api' }

test('an administrator creates an application, whose secret is shown once and stored as a digest', async () => {
  const forge = await testForge()

  const { status, body } = await forge.as(forge.root).post('/applications', wanted)

  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(Number),
    application_id: expect.stringMatching(/^[0-9a-f]{64}$/),
    application_name: 'Build server',
    callback_url: 'https://ci.example/callback',
    confidential: true,
    secret: expect.stringMatching(/^gstos-[0-9a-f]{40}$/),
  })
  const row = await forge.app.db.selectFrom('oauth_applications').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ secret_digest: digestOf(body.secret), scopes: 'api read_user', owner_id: null })
  const { secret: _, ...listed } = body
  expect((await forge.as(forge.root).get('/applications')).body).toContainEqual(listed)
  expect((await forge.as(forge.root).delete(`/applications/${body.id}`)).status).toBe(204)
  expect((await forge.as(forge.root).delete(`/applications/${body.id}`)).body).toEqual({ message: '404 Application Not Found' })
})

test('a public application has no secret', async () => {
  const forge = await testForge()
  const { body } = await forge.as(forge.root).post('/applications', { ...wanted, confidential: false })
  expect([body.confidential, body.secret]).toEqual([false, ''])
})

test.each([
  [{ name: ' ' }, { name: ["can't be blank"] }],
  [{ name: 'a\tb' }, { name: ['is invalid'] }],
  [{ redirect_uri: '' }, { redirect_uri: ["can't be blank"] }],
  [{ redirect_uri: 'https://ci.example/callback\njavascript:alert(1)' }, { redirect_uri: ['has a scheme that is not allowed'] }],
  [{ redirect_uri: 'https://ci.example/#x' }, { redirect_uri: ['must not contain a fragment'] }],
  [{ scopes: '' }, { scopes: ["can't be blank"] }],
  [{ scopes: 'api root' }, { scopes: ['can only contain available scopes'] }],
])('an application with %j is refused', async (change, message) => {
  const forge = await testForge()
  const { status, body } = await forge.as(forge.root).post('/applications', { ...wanted, ...change })
  expect([status, body]).toEqual([400, { message }])
})
