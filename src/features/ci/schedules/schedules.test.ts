import { expect, test } from 'vitest'
import { statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { startDueSchedulesJob } from './schedules.jobs.ts'

const nightly = { description: 'Nightly', ref: 'main', cron: '0 4 * * *', cron_timezone: 'Europe/Berlin' }

async function scheduled(body: object = nightly, file = 'test: {script: [test]}') {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const project = await forge.project({ maintainer, developer, commits: [{ message: 'First', files: { '.gitlab-ci.yml': file } }] })
  const at = `/projects/${project.id}/pipeline_schedules`
  const created = await forge.as(maintainer).post(at, body)
  const one = `${at}/${created.body.id}`
  const { db } = forge.app
  const makeDue = () =>
    db.updateTable('ci_schedules').set({ next_run_at: '2026-01-01T00:00:00.000Z' }).where('id', '=', created.body.id).execute()
  const pipelines = async () =>
    db.selectFrom('pipelines').select(['id', 'source', 'user_id']).where('schedule_id', '=', created.body.id).orderBy('id').execute()
  return { forge, maintainer, developer, project, at, one, created, makeDue, pipelines }
}

test('a schedule is created, read, updated and deleted', async () => {
  const { forge, maintainer, at, one, created } = await scheduled()
  const client = forge.as(maintainer)

  const expected = { ...nightly, active: true, owner: { id: maintainer.id }, last_pipeline: null, variables: [], inputs: [] }
  expect([created.status, created.body]).toMatchObject([201, expected])
  expect(new Date(created.body.next_run_at).getTime()).toBeGreaterThan(Date.now())
  expect((await client.get(one)).body).toEqual(created.body)
  const paused = await client.put(one, { active: false, cron: '1 2 3 4 *' })
  expect(paused.body).toMatchObject({ active: false, cron: '1 2 3 4 *', next_run_at: null })
  expect((await client.get(`${at}?scope=active`)).body).toEqual([])
  expect((await client.get(`${at}?scope=inactive`)).body).toHaveLength(1)
  expect((await client.delete(one)).status).toBe(204)
  expect((await client.get(one)).body).toEqual({ message: '404 Pipeline Schedule Not Found' })
})

test('an invalid schedule is refused', async () => {
  const { forge, maintainer, at, one } = await scheduled()
  const send = async (body: object) => (await forge.as(maintainer).post(at, { ...nightly, ...body })).body.message

  expect(await send({ cron: '* * *' })).toEqual({ cron: ['is invalid syntax'] })
  expect(await send({ cron: '0 0 30 2 *' })).toEqual({ cron: ['is invalid syntax'] })
  expect(await send({ cron_timezone: 'Europe/Atlantis' })).toEqual({ cron_timezone: ['is invalid syntax'] })
  expect(await send({ description: '' })).toEqual({ description: ["can't be blank"] })
  expect(await send({ ref: ' ' })).toEqual({ ref: ["can't be blank"] })
  expect((await forge.as(maintainer).put(one, { cron: 'x' })).status).toBe(400)
  expect((await forge.as(maintainer).get(one)).body.cron).toBe(nightly.cron)
})

test('developers change schedules of their own alone, and see the variables of these alone', async () => {
  const { forge, maintainer, developer, at, one } = await scheduled()
  const client = forge.as(developer)
  await forge.as(maintainer).post(`${one}/variables`, { key: 'A', value: 'secret' })
  const own = await client.post(at, nightly)

  expect((await client.get(one)).body.variables).toBeUndefined()
  expect([(await client.put(one, { active: false })).status, (await client.delete(one)).status]).toEqual([403, 403])
  expect((await client.post(`${one}/take_ownership`)).status).toBe(403)
  expect((await client.put(`${at}/${own.body.id}`, { active: false })).status).toBe(200)
  expect((await forge.as(maintainer).post(`${at}/${own.body.id}/take_ownership`)).body.owner.id).toBe(maintainer.id)
  expect((await client.delete(`${at}/${own.body.id}`)).status).toBe(403)
})

test('its variables are created, updated and deleted', async () => {
  const { forge, maintainer, one } = await scheduled()
  const client = forge.as(maintainer)

  const created = await client.post(`${one}/variables`, { key: 'A', value: 'x', variable_type: 'file' })
  const twice = await client.post(`${one}/variables`, { key: 'A', value: 'x' })

  expect([created.status, created.body]).toEqual([201, { variable_type: 'file', key: 'A', value: 'x', raw: false }])
  expect([twice.status, twice.body]).toEqual([400, { message: { key: ['has already been taken'] } }])
  expect((await client.post(`${one}/variables`, { key: '-', value: 'x' })).body.message.key).toBeDefined()
  expect((await client.put(`${one}/variables/A`, { value: 'y' })).body.value).toBe('y')
  expect((await client.get(one)).body.variables).toEqual([{ variable_type: 'file', key: 'A', value: 'y', raw: false }])
  const deleted = await client.delete(`${one}/variables/A`)
  expect([deleted.status, deleted.body.key]).toEqual([202, 'A'])
  expect((await client.delete(`${one}/variables/A`)).body).toEqual({ message: '404 Pipeline Schedule Variable Not Found' })
})

const asking = `spec:
  inputs:
    name: {default: unit}
    count: {type: number, default: 1}
    steps: {type: array, default: [x]}
---
"$[[ inputs.name ]]": {script: "$[[ inputs.steps ]]", parallel: "$[[ inputs.count ]]"}`

test('its inputs are stored sealed, changed one by one, and given to the file; others read none of them', async () => {
  const { forge, maintainer, developer, at, one, project, pipelines } = await scheduled(nightly, asking)
  const client = forge.as(maintainer)
  const given = [
    { name: 'name', value: 'api' },
    { name: 'steps', value: ['make', 'test'] },
  ]

  const created = await client.post(at, { ...nightly, inputs: [...given, { name: 'empty', value: '' }] })
  const changed = await client.put(one, { inputs: [...given, { name: 'count', value: 1 }] })
  const again = await client.put(one, {
    inputs: [
      { name: 'name', destroy: true },
      { name: 'count', value: 2 },
      { name: 'nowhere', destroy: true },
    ],
  })

  expect([created.status, created.body.inputs]).toEqual([201, [...given, { name: 'empty', value: '' }]])
  expect(changed.body.inputs).toEqual([...given, { name: 'count', value: 1 }])
  expect(again.body.inputs).toEqual([given[1], { name: 'count', value: 2 }])
  expect((await client.put(one, { cron: '0 5 * * *' })).body.inputs).toEqual(again.body.inputs)
  expect((await forge.as(developer).get(one)).body.inputs).toBeUndefined()
  const stored = await forge.app.db.selectFrom('ci_schedules').select('inputs').where('project_id', '=', project.id).execute()
  expect(stored.every(({ inputs }) => inputs?.startsWith('v1.'))).toBe(true)
  await client.post(`${one}/play`)
  await forge.drain()
  const [pipeline] = await pipelines()
  expect(await statusesOf(forge.app.db, pipeline?.id ?? 0)).toEqual(['unit 1/2 pending', 'unit 2/2 pending'])
})

test('inputs that no file can take are refused; what the file does not take fails its pipeline, which says why', async () => {
  const { forge, maintainer, at, one, pipelines } = await scheduled(nightly, asking)
  const client = forge.as(maintainer)
  const refusals: [object[], string][] = [
    [[{ name: 'a' }], 'Input a should be a string, a number, a boolean or an array'],
    [[{ name: ' ', value: 1 }], "Input name can't be blank"],
    [[{ name: 'n'.repeat(256), value: 1 }], 'Input name is too long (maximum is 255 characters)'],
    [
      [
        { name: 'a', value: 1 },
        { name: 'a', value: 2 },
      ],
      'Inputs have duplicate values (a)',
    ],
    [[{ name: 'a', value: 'x'.repeat(65_536) }], 'Inputs is too long (maximum is 65536 characters)'],
    [Array.from({ length: 101 }, (_, index) => ({ name: `i${index}`, value: 1 })), 'Maximum number of inputs (100) exceeded'],
  ]
  for (const [inputs, message] of refusals) {
    const sent = [await client.post(at, { ...nightly, inputs }), await client.put(one, { inputs })]
    expect(sent.map(({ status, body }) => [status, body])).toEqual([
      [400, { message: { base: [message] } }],
      [400, { message: { base: [message] } }],
    ])
  }
  for (const inputs of ['x', [{ name: 'a', value: { b: 1 } }], [{ name: { a: 1 }, value: 1 }]])
    expect([await client.put(one, { inputs }), await client.post(at, { ...nightly, inputs })]).toMatchObject([
      { status: 400 },
      { status: 400 },
    ])
  expect((await client.get(at)).body).toHaveLength(1)

  await client.put(one, { inputs: [{ name: '__proto__', value: 'x' }] })
  await client.post(`${one}/play`)
  await forge.drain()
  const [pipeline] = await pipelines()
  const { body } = await client.get(`${one.replace(/pipeline_schedules.*/, 'pipelines')}/${pipeline?.id}`)
  expect(body).toMatchObject({ status: 'failed', yaml_errors: '`the file`: unknown input arguments: __proto__' })
})

test('what is due runs once, however many look, with its variables and in the name of its owner', async () => {
  const { forge, maintainer, one, makeDue, pipelines } = await scheduled()
  await forge.as(maintainer).post(`${one}/variables`, { key: 'GREETING', value: 'hello' })
  await makeDue()

  await Promise.all([1, 2, 3].map(() => startDueSchedulesJob.handle(forge.app, {})))
  await forge.drain()

  const [pipeline, ...others] = await pipelines()
  expect([pipeline, others]).toMatchObject([{ source: 'schedule', user_id: maintainer.id }, []])
  const { body } = await forge.as(maintainer).get(one)
  expect(body.last_pipeline.id).toBe(pipeline?.id)
  expect(new Date(body.next_run_at).getTime()).toBeGreaterThan(Date.now())
  const at = one.replace(/\/pipeline_schedules.*/, '')
  expect((await forge.as(maintainer).get(`${at}/pipelines/${pipeline?.id}/variables`)).body).toMatchObject([
    { key: 'GREETING', value: 'hello' },
  ])
  expect((await forge.as(maintainer).get(`${one}/pipelines`)).body).toMatchObject([{ id: pipeline?.id }])
})

test('a schedule is deactivated if its owner may not run it or its branch is gone, but not while the terms must be accepted', async () => {
  const blocked = await scheduled()
  const gone = await scheduled({ ...nightly, ref: 'nowhere' })
  const { forge } = blocked
  await forge.as(forge.root).post(`/users/${blocked.maintainer.id}/block`)
  await blocked.makeDue()
  await gone.makeDue()

  await startDueSchedulesJob.handle(forge.app, {})
  await forge.drain()

  expect([await blocked.pipelines(), await gone.pipelines()]).toEqual([[], []])
  for (const { one } of [blocked, gone])
    expect((await forge.as(forge.root).get(one)).body).toMatchObject({ active: false, next_run_at: null })

  const waiting = await scheduled()
  const run = async () => {
    await waiting.makeDue()
    await startDueSchedulesJob.handle(forge.app, {})
    await forge.drain()
    return (await waiting.pipelines()).length
  }
  await writeSettings(forge.app.db, { enforce_terms: true, terms: 'Be kind' })
  expect(await run()).toBe(0)
  await writeSettings(forge.app.db, { enforce_terms: false })
  expect((await forge.as(forge.root).get(waiting.one)).body).toMatchObject({ active: true, next_run_at: expect.any(String) })
  expect(await run()).toBe(1)
})

test('a schedule is played now, in the name of who asks', async () => {
  const { forge, developer, maintainer, project, one, pipelines } = await scheduled()

  const played = await forge.as(maintainer).post(`${one}/play`)
  const denied = await forge.as(await forge.user()).post(`${one}/play`)
  await forge.drain()

  expect([played.status, played.body, denied.status]).toEqual([201, { message: '201 Created' }, 404])
  expect(await pipelines()).toMatchObject([{ user_id: maintainer.id }])
  // A developer may not run what is protected: nothing is started, and the schedule stays on.
  await forge.as(developer).post(`${one}/play`)
  await forge.drain()
  expect(await pipelines()).toHaveLength(1)
  expect((await forge.as(maintainer).get(one)).body.active).toBe(true)
  expect(project.id).toBeGreaterThan(0)
})
