/** Users cancel, retry, start and erase jobs. */

import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'

async function jobNamed({ as, at, pipeline_id }: Awaited<ReturnType<typeof builtProject>>, name: string) {
  const { body } = await as.get(`${at}/pipelines/${pipeline_id}/jobs`)
  return body.filter((job: { name: string }) => job.name === name).at(-1)
}

test('a job is shown with its commit, its pipeline and who started it', async () => {
  const built = await builtProject('unit: {script: [x], tags: [linux, docker]}')
  const { id } = await jobNamed(built, 'unit')
  const { status, body } = await built.as.get(`${built.at}/jobs/${id}`)

  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...{ id, name: 'unit', stage: 'test', ref: 'topic', tag: false, status: 'pending', coverage: null, runner: null, artifacts: [] },
    ...{ tag_list: ['docker', 'linux'], started_at: null, finished_at: null, artifacts_expire_at: null, duration: null },
    commit: { title: 'First', author_name: expect.any(String) },
    pipeline: { id: built.pipeline_id, status: 'pending', ref: 'topic' },
    user: { id: built.maintainer.id, bio: null },
    web_url: expect.stringMatching(new RegExp(`/-/jobs/${id}$`)),
  })
  expect((await built.as.get(`${built.at}/jobs/${id + 1_000}`)).status).toBe(404)
  expect((await built.forge.anonymous.get(`${built.at}/jobs/${id}`)).status).toBe(401)
})

test('a job is canceled, retried and played, and what was skipped after it is decided again', async () => {
  const built = await builtProject(
    'stages: [one, two, three]\na: {stage: one, script: [x]}\nb: {stage: two, script: [x], needs: [a]}\nc: {stage: three, script: [x]}\nd: {stage: three, script: [x], when: manual}',
  )
  const { as, at, pipeline_id, forge } = built
  const { db } = forge.app
  const a = await jobNamed(built, 'a')

  expect((await as.post(`${at}/jobs/${a.id}/retry`)).body).toEqual({ message: '403 Forbidden - Job is not retryable' })
  expect((await as.post(`${at}/jobs/${a.id}/play`)).body).toEqual({ message: '400 Bad request - Unplayable Job' })
  await runNamed(db, pipeline_id, 'a', 'failed')
  expect(await statusesOf(db, pipeline_id)).toEqual(['a failed', 'b skipped', 'c skipped', 'd skipped'])
  const retried = await as.post(`${at}/jobs/${a.id}/retry`)
  expect([retried.status, retried.body.status, retried.body.id > a.id]).toEqual([201, 'pending', true])
  expect((await as.post(`${at}/jobs/${a.id}/retry`)).status).toBe(403)
  expect(await statusesOf(db, pipeline_id)).toEqual(['a failed', 'b created', 'c created', 'd created', 'a pending'])
  await runNamed(db, pipeline_id, 'a')
  const b = await jobNamed(built, 'b')
  const canceled = await as.post(`${at}/jobs/${b.id}/cancel`)
  expect([canceled.status, canceled.body.status]).toEqual([201, 'canceled'])
  expect((await pipelineOf(db, pipeline_id)).status).toBe('canceled')
  await as.post(`${at}/jobs/${b.id}/retry`)
  await runNamed(db, pipeline_id, 'b')
  await runNamed(db, pipeline_id, 'c')
  expect((await pipelineOf(db, pipeline_id)).status).toBe('success')
  const d = await jobNamed(built, 'd')
  const played = await as.post(`${at}/jobs/${d.id}/play`, { job_variables_attributes: [{ key: 'WHERE', value: 'there' }] })
  expect([played.status, played.body.status]).toEqual([200, 'pending'])
  const { played_variables } = await db.selectFrom('ci_jobs').select('played_variables').where('id', '=', d.id).executeTakeFirstOrThrow()
  expect(JSON.parse(forge.app.secrets.unseal(played_variables ?? '', 'ci_jobs.played_variables'))).toMatchObject([
    { key: 'WHERE', value: 'there' },
  ])
  expect((await pipelineOf(db, pipeline_id)).status).toBe('running')
})

test('a job that has ended is erased, once, by who started it or a maintainer', async () => {
  const built = await builtProject('unit: {script: [x]}')
  const { as, at, pipeline_id, forge } = built
  const { id } = await jobNamed(built, 'unit')
  const developer = await forge.user()
  await as.post(`${at}/members`, { user_id: developer.id, access_level: 30 })

  expect((await as.post(`${at}/jobs/${id}/erase`)).body).toEqual({ message: '403 Forbidden - Job is not erasable!' })
  await runNamed(forge.app.db, pipeline_id, 'unit')
  expect((await forge.as(developer).post(`${at}/jobs/${id}/erase`)).status).toBe(403)
  expect((await as.post(`${at}/jobs/${id}/erase`)).body).toMatchObject({ id, status: 'success', erased_at: expect.any(String) })
  expect((await as.post(`${at}/jobs/${id}/erase`)).status).toBe(403)
})

test('developers run nothing on a protected branch that they may not change', async () => {
  const { forge, as, at, project } = await builtProject('unit: {script: [x]}')
  const developer = await forge.user()
  await as.post(`${at}/members`, { user_id: developer.id, access_level: 30 })
  const { body } = await as.get(`${at}/pipelines?ref=main`)
  const [job] = (await as.get(`${at}/pipelines/${body[0].id}/jobs`)).body

  expect((await forge.as(developer).post(`${at}/jobs/${job.id}/cancel`)).status).toBe(403)
  expect((await forge.as(developer).post(`${at}/pipelines/${body[0].id}/cancel`)).status).toBe(403)
  const refused = await forge.as(developer).post(`${at}/pipeline`, { ref: 'main' })
  expect([refused.status, refused.body]).toEqual([400, { message: { base: ["Insufficient permissions for protected ref 'main'"] } }])
  expect((await forge.as(developer).post(`/projects/${project.id}/pipeline`, { ref: 'topic' })).status).toBe(201)
})

test(
  'jobs of a resource group run one after the other, and delayed ones when their time has come',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const built = await builtProject(
      'a: {script: [x], resource_group: staging}\nb: {script: [x], resource_group: staging}\nlater: {script: [x], when: delayed, start_in: 1 hour}',
    )
    const { forge, as, at, pipeline_id } = built
    const { db } = forge.app

    expect(await statusesOf(db, pipeline_id)).toEqual(['a waiting_for_resource', 'b waiting_for_resource', 'later scheduled'])
    // The pipeline of main has the group.
    const [first] = (await as.get(`${at}/pipelines?ref=main`)).body
    await runNamed(db, first.id, 'a')
    await forge.drain()
    expect((await statusesOf(db, first.id))[1]).toBe('b pending')
    await as.post(`${at}/pipelines/${first.id}/cancel`)
    await forge.drain()
    expect(await statusesOf(db, pipeline_id)).toEqual(['a pending', 'b waiting_for_resource', 'later scheduled'])
    const later = await jobNamed(built, 'later')
    expect((await as.post(`${at}/jobs/${later.id}/play`)).body.status).toBe('pending')
  },
)
