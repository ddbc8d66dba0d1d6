import { expect, test } from 'vitest'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

const files = { '.gitlab-ci.yml': 'test: {script: [test]}' }

async function triggered() {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer, commits: [{ message: 'First', files }] })
  const client = forge.as(maintainer)
  const at = `/projects/${project.id}`
  const trigger = (await client.post(`${at}/triggers`, { description: 'Machine' })).body
  return { forge, maintainer, project, client, at, trigger }
}

test('a trigger is created, read, updated, handed over and deleted; its token is shown to its owner alone', async () => {
  const { forge, maintainer, project, client, at, trigger } = await triggered()
  const root = forge.as(forge.root)
  const one = `${at}/triggers/${trigger.id}`

  expect(trigger).toMatchObject({ description: 'Machine', last_used: null, owner: { id: maintainer.id } })
  expect((await client.get(one)).body.token).toBe(trigger.token)
  expect((await root.get(`${at}/triggers`)).body.map(({ token }: { token: string }) => token)).toEqual([trigger.token.slice(0, 4)])
  expect((await client.put(one, { description: 'Other' })).body.description).toBe('Other')
  const blank = await client.put(one, { description: ' ' })
  expect([blank.status, blank.body]).toEqual([400, { message: { description: ["can't be blank"] } }])
  const owned = await root.post(`${one}/take_ownership`)
  expect([owned.status, owned.body.owner.id, owned.body.token]).toEqual([200, forge.root.id, trigger.token])
  const row = await forge.app.db.selectFrom('ci_triggers').selectAll().where('project_id', '=', project.id).executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(trigger.token)
  expect((await client.delete(one)).status).toBe(204)
  expect((await client.get(one)).body).toEqual({ message: '404 Trigger Not Found' })
})

test('its token starts a pipeline, with variables, in the name of its owner', async () => {
  const { forge, maintainer, project, client, at, trigger } = await triggered()
  const { token } = trigger

  const started = await forge.anonymous.post(`${at}/trigger/pipeline`, { token, ref: 'main', variables: { GREETING: 'hello' } })
  const inPath = await forge.anonymous.post(`${at}/ref/main/trigger/pipeline?token=${token}`, { ref: 'elsewhere' })

  expect([started.status, started.body]).toMatchObject([201, { ref: 'main', source: 'trigger', user: { id: maintainer.id } }])
  expect((await client.get(`${at}/pipelines/${started.body.id}/variables`)).body).toMatchObject([{ key: 'GREETING', value: 'hello' }])
  expect([inPath.status, inPath.body.ref]).toEqual([201, 'main'])
  expect((await client.get(`${at}/triggers/${trigger.id}`)).body.last_used).not.toBeNull()
  const rows = await forge.app.db
    .selectFrom('pipelines')
    .select('trigger_id')
    .where('project_id', '=', project.id)
    .where('source', '=', 'trigger')
    .execute()
  expect(rows.map(({ trigger_id }) => trigger_id)).toEqual([trigger.id, trigger.id])
})

test('a pipeline that cannot start is refused, and a token works in its own project only', async () => {
  const { forge, maintainer, at, client, trigger } = await triggered()
  const other = await forge.project({ visibility: 'public' })
  const { token } = trigger
  const send = async (body: object, path = at) => {
    const { status, body: answer } = await forge.anonymous.post(`${path}/trigger/pipeline`, body)
    return [status, answer.message ?? answer.error]
  }

  expect(await send({ ref: 'main' })).toEqual([400, 'token is missing'])
  expect(await send({ token, ref: 'nowhere' })).toEqual([400, { base: ['Reference not found'] }])
  expect(await send({ token, ref: 'main', variables: 'value' })).toEqual([400, 'variables is invalid'])
  expect(await send({ token, ref: 'main', variables: { KEY: ['1', '2'] } })).toEqual([
    400,
    'variables needs to be a map of key-valued strings',
  ])
  expect((await send({ token, ref: 'main', variables: { 'NO DASH': '1' } }))[0]).toBe(400)
  expect(await send({ token, ref: 'main' }, `/projects/${other.id}`)).toEqual([404, '404 Not Found'])
  expect(await send({ token: 'wrong', ref: 'main' })).toEqual([404, '404 Not Found'])
  expect(await send({ token, ref: 'main' }, '/projects/0')).toEqual([404, '404 Not Found'])
  await forge.as(forge.root).post(`/users/${maintainer.id}/block`)
  expect(await send({ token, ref: 'main' })).toEqual([400, { base: ['Insufficient permissions to create a new pipeline'] }])
  await forge.as(forge.root).post(`/users/${maintainer.id}/unblock`)
  await client.delete(`${at}/triggers/${trigger.id}`)
  expect((await send({ token, ref: 'main' }))[0]).toBe(404)
})

test('a running job starts pipelines where its token reaches, and nowhere else', async () => {
  const { forge, maintainer, project, at, trigger } = await triggered()
  const first = await forge.anonymous.post(`${at}/trigger/pipeline`, { token: trigger.token, ref: 'main' })
  const elsewhere = await forge.project({ maintainer, commits: [{ message: 'First', files }] })
  const { token } = await jobOf(forge, project, maintainer, { pipeline_id: first.body.id })

  const own = await forge.anonymous.post(`${at}/trigger/pipeline`, { token, ref: 'main' })
  const other = await forge.anonymous.post(`/projects/${elsewhere.id}/trigger/pipeline`, { token, ref: 'main' })

  expect([own.status, own.body.source]).toEqual([201, 'pipeline'])
  expect(other.status).toBe(404)
})

test('a branch is run in place of a tag of the same name', async () => {
  const { forge, project, at, trigger } = await triggered()
  const tip = await git(project.dir, 'rev-parse', 'main')
  const tagged = await git(project.dir, 'commit-tree', '-p', 'main', '-m', 'Tagged', 'main^{tree}')
  await git(project.dir, 'update-ref', 'refs/tags/main', tagged)

  const { token } = trigger
  const short = await forge.anonymous.post(`${at}/trigger/pipeline`, { token, ref: 'main' })
  const whole = await forge.anonymous.post(`${at}/trigger/pipeline`, { token, ref: 'refs/tags/main' })

  expect([short.body.sha, short.body.tag, whole.body.sha, whole.body.tag]).toEqual([tip, false, tagged, true])
})
