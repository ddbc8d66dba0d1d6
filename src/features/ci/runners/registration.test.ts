import { expect, test } from 'vitest'
import { tokenOf } from '../../../../test/support/fixtures/runners.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { registrationToken, resetRegistrationToken } from './runners.ts'

const rowOf = (forge: Forge, id: number) => forge.app.db.selectFrom('ci_runners').selectAll().where('id', '=', id).executeTakeFirst()

test('a registration token of the instance, a group or a project registers a runner for it', async () => {
  const forge = await testForge()
  const group = await forge.group()
  const project = await forge.project()
  const tokens = {
    instance: await registrationToken(forge.app, { kind: 'instance' }),
    group: await registrationToken(forge.app, { kind: 'group', id: group.id, runners_token: group.runners_token }),
    project: tokenOf(forge, project),
  }
  for (const [kind, token] of Object.entries(tokens)) {
    const { status, body } = await forge.anonymous.post('/runners', { token, description: kind, tag_list: 'b, a,b' })
    expect([status, body]).toEqual([201, { id: expect.any(Number), token: expect.any(String), token_expires_at: null }])
    const row = await rowOf(forge, body.id)
    expect(row).toMatchObject({
      kind,
      namespace_id: kind === 'group' ? group.id : null,
      tags: '["a","b"]',
      active: true,
      run_untagged: true,
    })
    expect(JSON.stringify(row)).not.toContain(body.token)
    const verified = await forge.anonymous.post('/runners/verify', { token: body.token, system_id: 's_1' })
    expect([verified.status, verified.body.id]).toEqual([200, body.id])
    const machine = await forge.app.db.selectFrom('ci_runner_managers').selectAll().where('runner_id', '=', body.id).execute()
    expect(machine.map(({ system_id }) => system_id)).toEqual(['s_1'])
  }
  const of = await forge.app.db.selectFrom('ci_runner_projects').selectAll().where('project_id', '=', project.id).execute()
  expect(of).toHaveLength(1)
})

test('what the official agent sends is understood, old and new', async () => {
  const forge = await testForge()
  const token = await registrationToken(forge.app, { kind: 'instance' })
  const info = {
    name: 'gitlab-runner',
    version: '11.3.1',
    revision: 'abc',
    platform: 'linux',
    architecture: 'amd64',
    features: { variables: true },
  }
  const { status, body } = await forge.anonymous.post('/runners', {
    description: 'box',
    tag_list: '',
    run_untagged: true,
    locked: true,
    maximum_timeout: 0,
    active: true,
    info,
    token,
  })
  expect(status).toBe(201)
  expect(await rowOf(forge, body.id)).toMatchObject({
    name: 'gitlab-runner',
    version: '11.3.1',
    locked: true,
    maximum_timeout_s: null,
    tags: '[]',
  })
  const paused = await forge.anonymous.post('/runners', {
    token,
    run_untagged: true,
    paused: true,
    access_level: 'ref_protected',
    maximum_timeout: 900,
  })
  expect(await rowOf(forge, paused.body.id)).toMatchObject({ active: false, access_level: 'ref_protected', maximum_timeout_s: 900 })
})

test('a wrong token registers nothing, and wrong fields are named', async () => {
  const forge = await testForge()
  const token = await registrationToken(forge.app, { kind: 'instance' })
  const before = await forge.app.db.selectFrom('ci_runners').select('id').execute()
  const answers = [
    await forge.anonymous.post('/runners', {}),
    await forge.anonymous.post('/runners', { token: '' }),
    await forge.anonymous.post('/runners', { token: 'wrong' }),
    await forge.anonymous.post('/runners', { token, run_untagged: false }),
    await forge.anonymous.post('/runners', { token, maximum_timeout: 5 }),
    await forge.anonymous.post('/runners', { token, tag_list: 'x'.repeat(300) }),
    await forge.anonymous.post('/runners', { token: { a: 1 } }),
    await forge.anonymous.post('/runners', { token, info: 'what' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 403, 403, 400, 400, 400, 400, 400])
  expect(answers[3]?.body).toEqual({ message: { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] } })
  expect(await forge.app.db.selectFrom('ci_runners').select('id').execute()).toEqual(before)
})

test('a registration token that was replaced registers nothing; runners keep theirs', async () => {
  const forge = await testForge()
  const group = await forge.group()
  const place = { kind: 'group' as const, id: group.id }
  const old = await resetRegistrationToken(forge.app, place)
  const { body } = await forge.anonymous.post('/runners', { token: old })
  const fresh = await resetRegistrationToken(forge.app, place)

  expect((await forge.anonymous.post('/runners', { token: old })).status).toBe(403)
  expect((await forge.anonymous.post('/runners', { token: fresh })).status).toBe(201)
  expect((await forge.anonymous.post('/runners/verify', { token: body.token })).status).toBe(200)
  const { rows } = await forge.app.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', group.id)
    .execute()
    .then((rows) => ({ rows }))
  expect(JSON.stringify(rows)).not.toContain(fresh)
})

test('a runner deletes itself, one of its machines, or replaces its token, by its token', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const { body } = await forge.anonymous.post('/runners', { token: tokenOf(forge, project) })
  await forge.anonymous.post('/runners/verify', { token: body.token, system_id: 's_1' })

  const gone = await forge.anonymous.request('DELETE', '/runners/managers', { token: body.token, system_id: 's_1' })
  const again = await forge.anonymous.request('DELETE', '/runners/managers', { token: body.token, system_id: 's_1' })
  const reset = await forge.anonymous.post('/runners/reset_authentication_token', { token: body.token })
  const old = await forge.anonymous.post('/runners/verify', { token: body.token })
  const stale = { headers: { 'if-unmodified-since': new Date(Date.now() - 86_400_000).toUTCString() } }
  const refused = await forge.anonymous.request('DELETE', '/runners', { token: reset.body.token }, stale)
  const deleted = await forge.anonymous.request('DELETE', '/runners', { token: reset.body.token })
  const after = await forge.anonymous.post('/runners/verify', { token: reset.body.token })

  expect([gone, again, reset, old, refused, deleted, after].map(({ status }) => status)).toEqual([204, 404, 201, 403, 412, 204, 403])
})
