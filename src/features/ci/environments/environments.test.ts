import { expect, test } from 'vitest'
import { runJob } from '../../../../test/support/fixtures/ci-runs.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { slugOf, tierOf } from './environment-names.ts'
import { stopEndingJob } from './environments.jobs.ts'

const file = `
stages: [deploy, stop]
deploy:
  stage: deploy
  script: [deploy]
  environment: {name: review/$CI_COMMIT_REF_NAME, url: "https://$CI_ENVIRONMENT_SLUG.$DOMAIN/", on_stop: stop, auto_stop_in: 1 day}
stop:
  stage: stop
  script: [stop]
  when: manual
  environment: {name: review/$CI_COMMIT_REF_NAME, action: stop}
`

async function deployed() {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const project = await forge.project({ maintainer, developer, commits: [{ message: 'First', files: { '.gitlab-ci.yml': file } }] })
  const at = `/projects/${project.id}`
  const client = forge.as(maintainer)
  await client.post(`${at}/variables`, { key: 'DOMAIN', value: 'example.com', environment_scope: 'review/*' })
  await forge.as(developer).post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
  await forge.drain()
  const [pipeline] = (await client.get(`${at}/pipelines?ref=topic`)).body
  const environment = async () => {
    const [found] = (await client.get(`${at}/environments?name=review/topic`)).body
    return found && (await client.get(`${at}/environments/${found.id}`)).body
  }
  const run = async (name: string, status: 'success' | 'failed') => {
    await runJob(forge, pipeline.id, name, status)
    await forge.drain()
  }
  return { forge, maintainer, developer, project, at, client, pipeline, environment, run }
}

test('an environment is created, read, updated, stopped and deleted', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const project = await forge.project({ maintainer, developer })
  const at = `/projects/${project.id}/environments`
  const client = forge.as(maintainer)

  const created = await forge.as(developer).post(at, { name: 'production', external_url: 'https://example.com' })
  const one = `${at}/${created.body.id}`

  const expected = { name: 'production', slug: 'production', external_url: 'https://example.com', state: 'available', tier: 'production' }
  expect([created.status, created.body]).toMatchObject([201, expected])
  expect(created.body.project.id).toBe(project.id)
  expect((await client.get(at)).body).toMatchObject([expected])
  expect((await client.put(one, { name: 'live', external_url: '' })).body).toMatchObject({
    name: 'live',
    slug: 'production',
    external_url: null,
  })
  expect((await forge.as(developer).put(one, { name: 'x' })).status).toBe(403)
  expect((await forge.as(developer).post(`${one}/stop`)).status).toBe(403)
  const stopped = await client.post(`${one}/stop`)
  expect([stopped.status, stopped.body.state]).toEqual([200, 'stopped'])
  expect((await client.get(`${at}?states=stopped`)).body).toHaveLength(1)
  expect((await client.delete(one)).status).toBe(204)
  expect((await client.get(one)).status).toBe(404)
})

test('an invalid environment is refused', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const at = `/projects/${project.id}/environments`
  const send = async (body: object) => (await forge.as(forge.root).post(at, body)).body.message
  await send({ name: 'taken' })

  expect(await send({ name: 'taken' })).toEqual({ name: ['has already been taken'] })
  expect(await send({ name: ' ' })).toEqual({ name: ["can't be blank"] })
  expect(Object.keys(await send({ name: '/slash' }))).toEqual(['name'])
  expect(Object.keys(await send({ name: 'a\nb' }))).toEqual(['name'])
  expect(await send({ name: 'x', external_url: 'javascript:alert(1)' })).toEqual({
    external_url: ['is blocked: Only allowed schemes are http, https'],
  })
  expect((await forge.as(forge.root).get(at)).body).toHaveLength(1)
})

test('a job that deploys makes its environment, and its deployment follows it', async () => {
  const { client, at, environment, run, developer, pipeline } = await deployed()

  expect(await environment()).toMatchObject({ state: 'available', external_url: null, tier: 'development', last_deployment: null })
  expect((await client.get(`${at}/deployments?environment=review/topic`)).body).toMatchObject([
    { iid: 2, status: 'created', ref: 'topic', environment: { name: 'review/topic' } },
  ])
  await run('deploy', 'success')

  const now = await environment()
  expect(now.external_url).toBe(`https://${now.slug}.example.com/`)
  expect(new Date(now.auto_stop_at).getTime()).toBeGreaterThan(Date.now() + 80_000_000)
  expect(now.last_deployment).toMatchObject({
    status: 'success',
    user: { id: developer.id },
    deployable: { name: 'deploy', status: 'success', pipeline: { id: pipeline.id } },
  })
})

test('it stops by its job, and has stopped when that has succeeded', async () => {
  const { forge, developer, at, environment, run } = await deployed()
  await run('deploy', 'success')
  const { id } = await environment()

  const stopping = await forge.as(developer).post(`${at}/environments/${id}/stop`)
  const again = await forge.as(developer).post(`${at}/environments/${id}/stop`)
  await run('stop', 'failed')
  const failed = (await environment()).state
  await forge.as(developer).post(`${at}/environments/${id}/stop`)
  await run('stop', 'success')

  expect([stopping.status, stopping.body.state, again.body.state, failed]).toEqual([200, 'stopping', 'stopping', 'available'])
  expect((await environment()).state).toBe('stopped')
})

test('it stops with its branch, and when its time has come', async () => {
  const branch = await deployed()
  const time = await deployed()
  for (const { run } of [branch, time]) await run('deploy', 'success')
  const { id } = await time.environment()

  await branch.forge.as(branch.developer).delete(`${branch.at}/repository/branches/topic`)
  const past = { auto_stop_at: '2026-01-01T00:00:00.000Z' }
  await time.forge.app.db.updateTable('ci_environments').set(past).where('id', '=', id).execute()
  await stopEndingJob.handle(time.forge.app, {})
  await time.forge.drain()

  expect([(await branch.environment()).state, (await time.environment()).state]).toEqual(['stopping', 'stopping'])
})

test('a job that is retried deploys anew', async () => {
  const { client, at, pipeline, run } = await deployed()
  await run('deploy', 'failed')

  await client.post(`${at}/pipelines/${pipeline.id}/retry`)
  await run('deploy', 'success')

  const { body } = await client.get(`${at}/deployments?sort=desc&environment=review/topic`)
  expect(body.map(({ iid, status }: { iid: number; status: string }) => [iid, status])).toEqual([
    [3, 'success'],
    [2, 'failed'],
  ])
})

test('deployments are reported by others, and changed until they have finished', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const root = forge.as(forge.root)
  const at = `/projects/${project.id}/deployments`
  const sent = { environment: 'production', sha: 'main', ref: 'main', status: 'running' }

  const { status, body } = await root.post(at, sent)
  const running = await root.delete(`${at}/${body.id}`)
  const done = await root.put(`${at}/${body.id}`, { status: 'success' })
  const late = await root.put(`${at}/${body.id}`, { status: 'failed' })

  expect([status, body.status, body.environment.name, body.deployable]).toEqual([201, 'running', 'production', null])
  expect([running.status, running.body]).toEqual([400, { message: 'Cannot destroy running deployment' }])
  expect([done.body.status, late.status]).toEqual(['success', 400])
  expect((await root.delete(`${at}/${body.id}`)).body).toEqual({ message: 'Deployment currently deployed to environment' })
  expect((await root.post(at, { ...sent, sha: 'nowhere' })).status).toBe(400)
  expect((await root.post(at, { ...sent, environment: '/' })).status).toBe(400)
  const { body: other } = await root.post(at, { ...sent, status: 'failed' })
  expect((await root.get(`${at}?status=failed`)).body).toMatchObject([{ id: other.id, iid: 2 }])
  expect((await root.delete(`${at}/${other.id}`)).status).toBe(204)
})

test('lists cost the same however long they are', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const root = forge.as(forge.root)
  const at = `/projects/${project.id}`
  const report = (n: number) => root.post(`${at}/deployments`, { environment: `env ${n}`, sha: 'main', ref: 'main', status: 'success' })
  const cost = async (path: string) => (await forge.cost(() => root.get(`${at}/${path}`))).statements
  await report(0)
  const few = [await cost('deployments'), await cost('environments')]

  for (let n = 1; n < 8; n += 1) await report(n)

  expect([await cost('deployments'), await cost('environments')]).toEqual(few)
})

test('slugs and tiers follow from names', () => {
  expect(slugOf('production')).toBe('production')
  expect(slugOf('review/feature-1')).toMatch(/^review-feature-1-[0-9a-z]{6}$/)
  expect(slugOf('1')).toMatch(/^env-1-[0-9a-z]{6}$/)
  expect(slugOf('a'.repeat(40))).toHaveLength(24)
  expect(['prod', 'review/x', 'qa', 'staging', 'x'].map(tierOf)).toEqual(['production', 'development', 'testing', 'staging', 'other'])
})
