/** Child pipelines, and those of other projects. */
import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'

test('a child pipeline is made of a file of the commit, and its bridge ends as it does', async () => {
  const child =
    'unit: {script: [x], rules: [{if: $FLAVOUR == "sweet"}]}\nother: {script: [x], rules: [{if: $CI_PIPELINE_SOURCE == "push"}]}'
  const { forge, as, at, pipeline_id } = await builtProject(
    'stages: [test, deploy]\nbridge: {trigger: {include: child.yml, strategy: depend}, variables: {TASTE: sweet, FLAVOUR: $TASTE}}\nafter: {stage: deploy, script: [x]}',
    { 'child.yml': child },
  )
  const { db } = forge.app
  const { body: bridges } = await as.get(`${at}/pipelines/${pipeline_id}/bridges`)
  const started = bridges[0].downstream_pipeline

  expect(bridges).toMatchObject([
    { name: 'bridge', status: 'running', downstream_pipeline: { source: 'parent_pipeline', status: 'pending' } },
  ])
  expect(await statusesOf(db, started.id)).toEqual(['unit pending'])
  await runNamed(db, started.id, 'unit', 'failed')
  await forge.drain()
  expect(await statusesOf(db, pipeline_id)).toEqual(['bridge failed', 'after skipped'])
  await as.post(`${at}/pipelines/${started.id}/retry`)
  await forge.drain()
  expect((await pipelineOf(db, pipeline_id)).status).toBe('running')
  await runNamed(db, started.id, 'unit')
  await forge.drain()
  expect((await statusesOf(db, pipeline_id))[0]).toBe('bridge success')
  // Both pipelines are of this commit, and the parent is the one that the commit shows.
  const { body: commit } = await as.get(`${at}/repository/commits/topic`)
  expect(commit.last_pipeline.id).toBe(pipeline_id)
})

test('canceling a pipeline cancels its children, and deleting it deletes them', async () => {
  const { forge, as, at, pipeline_id } = await builtProject('bridge: {trigger: {include: child.yml, strategy: depend}}', {
    'child.yml': 'unit: {script: [x]}',
  })
  const { body: bridges } = await as.get(`${at}/pipelines/${pipeline_id}/bridges`)
  await as.post(`${at}/pipelines/${pipeline_id}/cancel`)
  await forge.drain()

  expect((await pipelineOf(forge.app.db, bridges[0].downstream_pipeline.id)).status).toBe('canceled')
  await forge.as(forge.root).delete(`${at}/pipelines/${pipeline_id}`)
  expect((await as.get(`${at}/pipelines/${bridges[0].downstream_pipeline.id}`)).status).toBe(404)
})

test('a bridge starts the pipeline of another project as its user may, and tells why it could not', async () => {
  const other = await builtProject('unit: {script: [x]}')
  const { body: target } = await other.as.get(other.at)
  const file = `allowed: {trigger: ${target.path_with_namespace}}\ngone: {trigger: no/where}`
  const { forge, as, at, pipeline_id, maintainer } = await builtProject(file)
  const bridges = async (id: number) => (await as.get(`${at}/pipelines/${id}/bridges`)).body

  expect(await bridges(pipeline_id)).toMatchObject([
    { name: 'allowed', status: 'failed', failure_reason: 'downstream_bridge_project_not_found', downstream_pipeline: null },
    { name: 'gone', status: 'failed', failure_reason: 'downstream_bridge_project_not_found' },
  ])
  await other.as.post(`${other.at}/members`, { user_id: maintainer.id, access_level: 40 })
  const { body: again } = await as.post(`${at}/pipeline`, { ref: 'topic' })
  await forge.drain()
  expect((await bridges(again.id))[0]).toMatchObject({
    status: 'success',
    downstream_pipeline: { project_id: other.project.id, source: 'pipeline', ref: 'main' },
  })
})

test('child pipelines end at the second generation, and a project does not start itself', async () => {
  const { forge, as, at, project } = await builtProject('a: {trigger: {include: again.yml}}', {
    'again.yml': 'a: {trigger: {include: again.yml}}',
  })
  const { body: all } = await as.get(`${at}/pipelines?ref=topic`)
  const reasons = await forge.app.db
    .selectFrom('commit_statuses')
    .select('failure_reason')
    .where('project_id', '=', project.id)
    .where('ref', '=', 'topic')
    .orderBy('id')
    .execute()

  expect(all).toHaveLength(1)
  expect((await as.get(`${at}/pipelines?source=parent_pipeline&ref=topic`)).body).toHaveLength(2)
  expect(reasons.map(({ failure_reason }) => failure_reason)).toEqual([null, null, 'reached_max_descendant_pipelines_depth'])
})
