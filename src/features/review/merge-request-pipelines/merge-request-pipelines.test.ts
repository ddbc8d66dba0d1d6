/** Pipelines of merge requests, and what merging makes of them. */

import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { runnerOf } from '../../../../test/support/fixtures/runners.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'

const file = 'unit: {script: [x]}\nreview: {script: [x], rules: [{if: $CI_MERGE_REQUEST_IID}]}'

async function opened() {
  const built = await builtProject(file)
  const { forge, as, at } = built
  await as.post(`${at}/repository/files/new`, { branch: 'topic', commit_message: 'New', content: 'x' })
  const { body: request } = await as.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
  await forge.drain()
  return { ...built, request, mine: `${at}/merge_requests/${request.iid}` }
}

test(
  'opening a merge request runs the jobs that are for merge requests, beside the pipeline of the branch',
  onPostgresAlone('Half a second of processor.'),
  async () => {
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
  },
)

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

test('a fork’s request has pipelines here if a member starts them, without protected variables; others start none', async () => {
  const { forge, as, at, project, maintainer } = await builtProject('review: {script: [x], rules: [{if: $CI_MERGE_REQUEST_IID}]}')
  const author = await forge.user()
  await forge.as(forge.root).put(at, { visibility: 'public' })
  await as.post(`${at}/variables`, { key: 'OPEN', value: 'open-value' })
  await as.post(`${at}/variables`, { key: 'DEPLOY_KEY', value: 'protected-value', protected: true })
  const { body: fork } = await forge.as(author).post(`${at}/fork`)
  await forge.drain()
  const commit = { branch: 'mine', start_branch: 'main', commit_message: 'Mine', content: 'x' }
  await forge.as(author).post(`/projects/${fork.id}/repository/files/mine`, commit)
  const asked = { source_branch: 'mine', target_branch: 'main', title: 'Mine', target_project_id: project.id }
  const { body: request } = await forge.as(author).post(`/projects/${fork.id}/merge_requests`, asked)
  await forge.drain()
  const mine = `${at}/merge_requests/${request.iid}/pipelines`
  const runner = await runnerOf(forge, project)

  expect((await as.get(mine)).body).toEqual([])
  expect((await forge.as(author).post(mine)).status).toBe(403)
  const created = await as.post(mine)
  expect([created.status, created.body]).toMatchObject([201, { project_id: project.id, source: 'merge_request_event', sha: request.sha }])
  const { status, body: job } = await forge.anonymous.post('/jobs/request', { token: runner.token })
  expect([status, job.job_info.name, job.job_info.user_id]).toEqual([201, 'review', maintainer.id])
  const values = new Map(job.variables.map(({ key, value }: { key: string; value: string }) => [key, value]))
  expect(Object.fromEntries(['OPEN', 'DEPLOY_KEY', 'CI_COMMIT_REF_PROTECTED'].map((key) => [key, values.get(key)]))).toEqual({
    OPEN: 'open-value',
    DEPLOY_KEY: undefined,
    CI_COMMIT_REF_PROTECTED: 'false',
  })
  expect(values.get('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH')).toBe(fork.path_with_namespace)
  expect(values.get('CI_MERGE_REQUEST_PROJECT_PATH')).toBe(project.full_path)
})

test(
  'where the project wants it, the result of merging is built, and counts; branches that conflict have a pipeline of the source',
  onPostgresAlone('1 s of processor.'),
  async () => {
    const { forge, as, at, project, mine, request } = await opened()
    const { db } = forge.app
    const set = await as.put(at, { merge_pipelines_enabled: true, only_allow_merge_if_pipeline_succeeds: true })
    expect([set.status, set.body.merge_pipelines_enabled]).toEqual([200, true])
    const commit = (branch: string, file: string, content: string) =>
      as.post(`${at}/repository/commits`, {
        branch,
        commit_message: `${file} of ${branch}`,
        actions: [{ action: 'create', file_path: file, content }],
      })
    await commit('main', 'shared', 'theirs\n')
    await commit('topic', 'more', 'x\n')
    await forge.drain()
    const head = async () => (await as.get(mine)).body
    const { head_pipeline: built, sha } = await head()
    const parents = (await as.get(`${at}/repository/commits/${built.sha}`)).body.parent_ids
    const { body: main } = await as.get(`${at}/repository/branches/main`)

    expect([built.ref, parents]).toEqual([`refs/merge-requests/${request.iid}/merge`, [main.commit.id, sha]])
    expect((await head()).detailed_merge_status).toBe('ci_still_running')
    const runner = await runnerOf(forge, project)
    const jobs = []
    for (let next = await forge.anonymous.post('/jobs/request', { token: runner.token }); next.status === 201; ) {
      jobs.push(next.body)
      next = await forge.anonymous.post('/jobs/request', { token: runner.token })
    }
    const given = jobs.find(({ git_info }) => git_info.sha === built.sha)
    const values = new Map<string, string>(given.variables.map(({ key, value }: { key: string; value: string }) => [key, value]))
    const shown = ['EVENT_TYPE', 'SOURCE_BRANCH_SHA', 'TARGET_BRANCH_SHA', 'REF_PATH'].map((name) => values.get(`CI_MERGE_REQUEST_${name}`))
    expect(shown).toEqual(['merged_result', sha, main.commit.id, built.ref])

    // A pipeline of the branch doesn't stand in for it, and a move of the target needs no new one.
    await as.post(`${at}/pipeline`, { ref: 'topic' })
    await commit('main', 'later', 'x\n')
    await forge.drain()
    expect([(await head()).head_pipeline.id, (await as.put(`${mine}/merge`)).status]).toEqual([built.id, 405])
    expect((await as.put(`${mine}/merge`, { merge_when_pipeline_succeeds: true })).body.merge_when_pipeline_succeeds).toBe(true)

    // The source moves, and conflicts.
    await commit('topic', 'shared', 'ours\n')
    await forge.drain()
    const conflicting = await head()
    expect([conflicting.head_pipeline.ref, conflicting.head_pipeline.sha, conflicting.detailed_merge_status]).toEqual([
      `refs/merge-requests/${request.iid}/head`,
      conflicting.sha,
      'ci_still_running',
    ])
    const browser = await signedIn(forge, forge.root)
    const page = `/${project.full_path}/merge_requests/${request.iid}`
    expect((await browser.get(page)).text).toContain('the branches conflict, so there is no result of merging to build')

    // Another target has another result, which is merged once its pipeline succeeds.
    await as.post(`${at}/repository/branches`, { branch: 'release', ref: sha })
    await as.put(mine, { target_branch: 'release' })
    await forge.drain()
    const again = (await head()).head_pipeline
    expect([again.ref, again.sha === built.sha]).toEqual([built.ref, false])
    expect((await browser.get(page)).text).toContain('Pipeline of the result of merging')
    const isListed = async (pipeline: string) =>
      (await browser.get(`/${project.full_path}/merge_requests?pipeline=${pipeline}`)).text.includes(`merge_requests/${request.iid}"`)
    expect([await isListed('running'), await isListed('success'), await isListed('none')]).toEqual([true, false, false])
    await as.put(`${mine}/merge`, { merge_when_pipeline_succeeds: true })
    await runNamed(db, again.id, 'review')
    await forge.drain()
    expect((await as.get(mine)).body.state).toBe('merged')
  },
)
