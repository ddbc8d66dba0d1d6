import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'

test.each(['project', 'group'] as const)('variables of a %s are created, read, updated and deleted', async (kind) => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const { id } = kind === 'project' ? await forge.project({ maintainer, developer }) : await forge.group({ maintainer, developer })
  const at = `/${kind}s/${id}/variables`
  const client = forge.as(maintainer)

  const created = await client.post(at, { key: ' TOKEN ', value: 'secret-value', protected: 'true', masked: true, variable_type: 'file' })
  const read = await client.get(`${at}/TOKEN`)
  const taken = await client.post(at, { key: 'TOKEN', value: '' })
  const updated = await client.put(`${at}/TOKEN`, { value: 'short', masked: false })

  const expected = {
    variable_type: 'file',
    key: 'TOKEN',
    value: 'secret-value',
    hidden: false,
    protected: true,
    masked: true,
    raw: false,
    environment_scope: '*',
    description: null,
  }
  expect([created.status, created.body]).toEqual([201, expected])
  expect(read.body).toEqual(expected)
  expect([taken.status, taken.body]).toEqual([400, { message: { key: ['(TOKEN) has already been taken'] } }])
  expect(updated.body).toEqual({ ...expected, value: 'short', masked: false })
  expect((await client.get(at)).body).toEqual([updated.body])
  expect((await forge.as(developer).get(at)).status).toBe(403)
  expect((await client.delete(`${at}/TOKEN`)).status).toBe(204)
  const missing = await client.get(`${at}/TOKEN`)
  expect([missing.status, missing.body]).toEqual([
    404,
    { message: kind === 'project' ? '404 Variable Not Found' : '404 GroupVariable Not Found' },
  ])
})

test('one key may have a value for each scope of environments, and a filter tells which is meant', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const at = `/projects/${project.id}/variables`
  const root = forge.as(forge.root)
  await root.post(at, { key: 'A', value: 'all' })
  await root.post(at, { key: 'A', value: 'review', environment_scope: 'review/*' })
  const ofReview = 'filter[environment_scope]=review/*'

  const ambiguous = await root.get(`${at}/A`)
  const changed = await root.put(`${at}/A`, { value: 'changed', filter: { environment_scope: 'review/*' } })

  expect([ambiguous.status, (await root.delete(`${at}/A`)).status]).toEqual([409, 409])
  expect([changed.body.value, (await root.get(`${at}/A?${ofReview}`)).body.value]).toEqual(['changed', 'changed'])
  expect((await root.delete(`${at}/A?${ofReview}`)).status).toBe(204)
  expect((await root.get(`${at}/A`)).body.value).toBe('all')
})

test('an invalid variable is refused, and nothing is stored', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const at = `/projects/${project.id}/variables`
  const send = async (body: object) => {
    const { status, body: answer } = await forge.as(forge.root).post(at, body)
    return [status, answer.message ?? answer.error]
  }
  const masked = { key: 'A', masked: true }

  expect(await send({ key: 'NO-DASH', value: '' })).toEqual([400, { key: ["can contain only letters, digits and '_'."] }])
  expect(await send({ key: ' ', value: '' })).toEqual([400, { key: ["can't be blank"] }])
  expect(await send({ key: 'A'.repeat(256), value: '' })).toEqual([400, { key: ['is too long (maximum is 255 characters)'] }])
  expect(await send({ key: 'A', value: 'x'.repeat(10_001) })).toEqual([400, { value: ['is too long (maximum is 10000 characters)'] }])
  expect(await send({ ...masked, value: 'short' })).toEqual([400, { value: ['is invalid'] }])
  expect(await send({ ...masked, value: 'two\nlines of text' })).toEqual([400, { value: ['is invalid'] }])
  expect(await send({ ...masked, value: 'dollar$sign' })).toEqual([400, { value: ['is invalid'] }])
  expect((await send({ key: 'A', value: 'x', environment_scope: '<x>' }))[0]).toBe(400)
  expect(await send({ key: 'A', value: 'x', variable_type: 'folder' })).toEqual([400, 'variable_type does not have a valid value'])
  expect(await send({ key: 'A' })).toEqual([400, 'value is missing'])
  expect((await forge.as(forge.root).get(at)).body).toEqual([])
  expect((await send({ ...masked, raw: true, value: 'dollar$sign' }))[0]).toBe(201)
})

test('a hidden variable is never shown again, and the database holds no value in clear', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const at = `/projects/${project.id}/variables`
  const root = forge.as(forge.root)

  const created = await root.post(at, { key: 'HIDDEN', value: 'very-secret-value', masked_and_hidden: true })
  const shown = await root.put(`${at}/HIDDEN`, { masked: false })

  expect(created.body).toMatchObject({ value: null, hidden: true, masked: true })
  expect((await root.get(`${at}/HIDDEN`)).body.value).toBeNull()
  expect([shown.status, Object.keys(shown.body.message)]).toEqual([400, ['base']])
  const row = await forge.app.db.selectFrom('ci_variables').selectAll().where('project_id', '=', project.id).executeTakeFirstOrThrow()
  expect(row.value).not.toContain('very-secret')
})

test('variables of the instance are for administrators', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const root = forge.as(forge.root)
  const at = '/admin/ci/variables'

  const created = await root.post(at, { key: 'OF_INSTANCE', value: 'x', description: 'For all' })

  const expected = {
    variable_type: 'env_var',
    key: 'OF_INSTANCE',
    value: 'x',
    protected: false,
    masked: false,
    raw: false,
    description: 'For all',
  }
  expect([created.status, created.body]).toEqual([201, expected])
  expect((await root.put(`${at}/OF_INSTANCE`, { value: 'y' })).body).toEqual({ ...expected, value: 'y' })
  expect((await forge.as(user).get(at)).status).toBe(403)
  expect((await root.post(at, { key: 'OF_INSTANCE', value: 'x' })).body).toEqual({
    message: { key: ['(OF_INSTANCE) has already been taken'] },
  })
  expect((await root.delete(`${at}/OF_INSTANCE`)).status).toBe(204)
  expect((await root.get(`${at}/OF_INSTANCE`)).status).toBe(404)
})

test('an archived project and one without CI have none to manage', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const at = `/projects/${project.id}`
  const list = async () => (await forge.as(maintainer).get(`${at}/variables`)).status

  await forge.as(forge.root).put(at, { builds_access_level: 'disabled' })
  const without = await list()
  await forge.as(forge.root).put(at, { builds_access_level: 'enabled' })
  await forge.as(forge.root).post(`${at}/archive`)

  expect([without, await list()]).toEqual([403, 403])
})

test('a list costs the same however long it is', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const at = `/projects/${project.id}/variables`
  const root = forge.as(forge.root)
  const cost = async () => {
    await root.post(at, { key: `V${Math.random().toString(36).slice(2)}`, value: 'x' })
    return (await forge.cost(() => root.get(at))).statements
  }

  const few = await cost()
  for (let n = 0; n < 10; n += 1) await root.post(at, { key: `A${n}`, value: 'x' })

  expect(await cost()).toBe(few)
})
