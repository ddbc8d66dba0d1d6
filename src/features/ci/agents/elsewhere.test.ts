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
