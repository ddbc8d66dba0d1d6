/** Pipelines of merge requests, and what merging makes of them. */
import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'

const file = 'unit: {script: [x]}\nreview: {script: [x], rules: [{if: $CI_MERGE_REQUEST_IID}]}'

async function opened() {
  const built = await builtProject(file)
  const { forge, as, at } = built
  await as.post(`${at}/repository/files/new`, { branch: 'topic', commit_message: 'New', content: 'x' })
  const { body: request } = await as.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
  await forge.drain()
  return { ...built, request, mine: `${at}/merge_requests/${request.iid}` }
}

test('opening a merge request runs the jobs that are for merge requests, beside the pipeline of the branch', async () => {
  const { forge, as, mine, request } = await opened()
  const { status, body } = await as.get(`${mine}/pipelines`)

  expect(status).toBe(200)
  expect(body.map(({ source, ref }: { source: string; ref: string }) => `${source} ${ref}`)).toEqual([
    `merge_request_event refs/merge-requests/${request.iid}/head`,
    'push topic',
  ])
  expect(await statusesOf(forge.app.db, body[0].id)).toEqual(['review pending'])
  const asked = await as.post(`${mine}/pipelines`)
  expect([asked.status, asked.body.source]).toEqual([201, 'merge_request_event'])
  const stranger = await forge.user()
  expect((await forge.as(stranger).get(`${mine}/pipelines`)).status).toBe(404)
})

test('a request waits for its pipeline, and is merged when that succeeds', async () => {
  const { forge, as, at, mine } = await opened()
  const { db } = forge.app
  await as.put(at, { only_allow_merge_if_pipeline_succeeds: true })
  const { body: shown } = await as.get(mine)
  const head = shown.head_pipeline.id

  expect(shown.head_pipeline).toMatchObject({ status: 'pending', user: expect.anything(), web_url: expect.any(String) })
  expect(shown.detailed_merge_status).toBe('ci_still_running')
  expect((await as.put(`${mine}/merge`)).status).toBe(405)
  const [name] = (await statusesOf(db, head))[0]?.split(' ') ?? []
  await runNamed(db, head, name ?? '', 'failed')
  expect((await as.get(mine)).body.detailed_merge_status).toBe('ci_must_pass')
  expect((await as.get('/todos?action=build_failed')).body).toHaveLength(1)
  await as.post(`${at}/pipelines/${head}/retry`)
  expect((await as.put(`${mine}/merge`, { merge_when_pipeline_succeeds: true })).body.merge_when_pipeline_succeeds).toBe(true)
  await runNamed(db, head, name ?? '')
  await forge.drain()
  expect((await pipelineOf(db, head)).status).toBe('success')
  expect((await as.get(mine)).body.state).toBe('merged')
})
