/** Artifacts of jobs in other pipelines and projects, as a runner gets them for a job. */
import { expect, test } from 'vitest'
import { builtProject, runNamed, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { runnerOf } from '../../../../test/support/fixtures/runners.ts'

async function requested(forge: Awaited<ReturnType<typeof builtProject>>['forge'], token: string) {
  const { body } = await forge.anonymous.post('/jobs/request', { token })
  return (body?.dependencies ?? []).map(({ id, name }: { id: number; name: string }) => [id, name])
}

test('a job of a child pipeline gets the artifacts of its parent; a job without what it needs fails and says so', async () => {
  const child = `got: {script: x, needs: [{pipeline: $PARENT_ID, job: compile}]}
left: {script: x, needs: [{pipeline: $PARENT_ID, job: nothing}]}
strange: {script: x, needs: [{pipeline: "$PARENT_ID; drop", job: compile}]}`
  const file = `compile: {script: x, stage: build}
below: {stage: test, variables: {PARENT_ID: $CI_PIPELINE_ID}, trigger: {include: child.yml, strategy: depend}}`
  const { forge, project, as, at, pipeline_id } = await builtProject(file, { 'child.yml': child })
  const { db } = forge.app
  const ended = await runNamed(db, pipeline_id, 'compile')
  await forge.drain()
  const started = (await as.get(`${at}/pipelines/${pipeline_id}/bridges`)).body[0].downstream_pipeline.id
  await as.post(`${at}/pipelines/${(await as.get(`${at}/pipelines?ref=main`)).body[0].id}/cancel`)
  const runner = await runnerOf(forge, project)

  expect(await requested(forge, runner.token)).toEqual([[ended?.status.id, 'compile']])
  expect(await requested(forge, runner.token)).toEqual([])
  expect(await statusesOf(db, started)).toEqual(['got running', 'left failed', 'strange failed'])
  const reasons = await db.selectFrom('commit_statuses').select('failure_reason').where('pipeline_id', '=', started).orderBy('id').execute()
  const missing = 'missing_dependency_failure'
  expect(reasons.map(({ failure_reason }) => failure_reason)).toEqual([null, missing, missing])
})

test('a job gets artifacts of another project if its user may read them there and the project lets it in', async () => {
  const other = await builtProject('compile: {script: x}')
  const { db } = other.forge.app
  const made = await runNamed(db, other.pipeline_id, 'compile')
  await other.forge.drain()
  const job_id = made?.status.id ?? 0
  const of = { job_id, project_id: other.project.id, file_type: 'archive', file_format: 'zip' as const, filename: 'a.zip', size: 1 }
  await db
    .insertInto('ci_artifacts')
    .values({ ...of, store_key: 'none', created_at: new Date().toISOString() })
    .execute()
  const need = `{project: ${other.project.full_path}, ref: topic, job: compile}`
  const { forge, project, maintainer, as, at } = await builtProject(`a: {script: x, needs: [${need}]}`)
  for (const { id } of (await as.get(`${at}/pipelines`)).body) await as.post(`${at}/pipelines/${id}/cancel`)
  const runner = await runnerOf(forge, project)
  const run = async () => {
    const { body } = await as.post(`${at}/pipeline`, { ref: 'topic' })
    return { dependencies: await requested(forge, runner.token), statuses: await statusesOf(db, body.id) }
  }
  const refused = { dependencies: [], statuses: ['a failed'] }

  expect(await run()).toEqual(refused)
  await other.as.post(`${other.at}/members`, { user_id: maintainer.id, access_level: 20 })
  expect(await run()).toEqual(refused)
  await forge.as(forge.root).post(`${other.at}/job_token_scope/allowlist`, { target_project_id: project.id })
  expect(await run()).toEqual({ dependencies: [[job_id, 'compile']], statuses: ['a running'] })
})
