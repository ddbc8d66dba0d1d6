import { expect, test } from 'vitest'
import { runnerOf, type TestRunner } from '../../../../test/support/fixtures/runners.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

const file = `
stages: [build, test]
variables: { GLOBAL: one, GIT_DEPTH: "5" }
default: { image: { name: "ruby:3", entrypoint: [sh] }, before_script: [echo before] }
compile:
  stage: build
  tags: [linux]
  services: [{ name: "postgres:15", alias: db }]
  script: [make, make install]
  after_script: [echo after]
  timeout: 20 minutes
  variables: { GLOBAL: two, RAW: { value: "$GLOBAL", expand: false } }
  cache: { key: gems, paths: [vendor/] }
  artifacts: { name: out, paths: [out/], expire_in: 1 week, reports: { junit: report.xml } }
check:
  stage: test
  script: [make check]
`

async function requestUntilThere(forge: Forge, runner: TestRunner) {
  let answer = await forge.anonymous.post('/jobs/request', { token: runner.token })
  for (let tries = 0; answer.status === 204 && tries < 50; tries += 1) {
    const last_update = answer.headers['x-gitlab-last-update']
    answer = await forge.anonymous.post('/jobs/request', { token: runner.token, last_update })
  }
  return answer.body
}

test('the payload has everything that agents old and new decode', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: { '.gitlab-ci.yml': file } })
  const sha = await git(project.dir, 'rev-parse', 'main')
  const runner = await runnerOf(forge, project, { tag_list: 'linux', description: 'box', maximum_timeout: 900 })
  await forge.as(forge.root).post(`/projects/${project.id}/variables`, { key: 'SECRET', value: 'hidden-value-1', masked: true })
  await forge.as(forge.root).post(`/projects/${project.id}/variables`, { key: 'KUBE', value: 'config', variable_type: 'file' })
  const pipeline = await forge
    .as(forge.root)
    .post(`/projects/${project.id}/pipeline`, { ref: 'main', variables: [{ key: 'GIVEN', value: 'yes' }] })
  expect([pipeline.status, pipeline.text]).toEqual([201, pipeline.text])

  const job = await requestUntilThere(forge, runner)

  expect(job).toMatchObject({
    token: expect.stringMatching(/^gstjt-/),
    allow_git_fetch: true,
    job_info: {
      ...{ name: 'compile', stage: 'build', pipeline_id: pipeline.body.id, user_id: forge.root.id },
      ...{ project_id: project.id, project_name: project.name, project_full_path: project.full_path },
    },
    git_info: {
      repo_url: `http://gitlab-ci-token:${job.token}@gitstead.test/${project.full_path}.git`,
      ref: 'main',
      sha,
      before_sha: '0'.repeat(40),
      ref_type: 'branch',
      depth: 5,
      refspecs: [`+${sha}:refs/pipelines/${pipeline.body.id}`, '+refs/heads/main:refs/remotes/origin/main'],
    },
    runner_info: { timeout: 900 },
    steps: [
      { name: 'script', script: ['echo before', 'make', 'make install'], timeout: 900, when: 'on_success', allow_failure: false },
      { name: 'after_script', script: ['echo after'], timeout: 900, when: 'always', allow_failure: true },
    ],
    image: { name: 'ruby:3', entrypoint: ['sh'] },
    services: [{ name: 'postgres:15', alias: 'db', command: null, entrypoint: null }],
    artifacts: [
      {
        name: 'out',
        untracked: false,
        paths: ['out/'],
        expire_in: '1 week',
        artifact_type: 'archive',
        artifact_format: 'zip',
        when: 'on_success',
      },
      { name: 'junit.xml', paths: ['report.xml'], artifact_type: 'junit', artifact_format: 'gzip', when: 'always' },
    ],
    cache: [{ key: 'gems-protected', untracked: false, policy: 'pull-push', paths: ['vendor/'], when: 'on_success' }],
    credentials: [],
    dependencies: [],
    features: { trace_sections: true },
  })
  const values = new Map<string, string>(job.variables.map(({ key, value }: { key: string; value: string }) => [key, value]))
  expect(Object.fromEntries(values)).toMatchObject({
    CI: 'true',
    CI_JOB_ID: String(job.id),
    CI_JOB_TOKEN: job.token,
    CI_BUILD_TOKEN: job.token,
    CI_JOB_NAME: 'compile',
    CI_JOB_STAGE: 'build',
    CI_COMMIT_SHA: sha,
    CI_COMMIT_REF_NAME: 'main',
    CI_PIPELINE_ID: String(pipeline.body.id),
    CI_PIPELINE_SOURCE: 'api',
    CI_PROJECT_PATH: project.full_path,
    CI_RUNNER_ID: String(runner.id),
    CI_RUNNER_DESCRIPTION: 'box',
    CI_RUNNER_TAGS: 'linux',
    GITLAB_USER_LOGIN: 'root',
    GLOBAL: 'two',
    RAW: '$GLOBAL',
    SECRET: 'hidden-value-1',
    GIVEN: 'yes',
  })
  const of = (key: string) => job.variables.find((one: { key: string }) => one.key === key)
  expect(of('CI_JOB_TOKEN')).toMatchObject({ public: false, masked: true })
  expect(of('SECRET')).toEqual({ key: 'SECRET', value: 'hidden-value-1', public: false, masked: true })
  expect(of('KUBE')).toEqual({ key: 'KUBE', value: 'config', public: false, masked: false, file: true })
  expect(of('GLOBAL')).toMatchObject({ public: true, masked: false })
  const keys = job.variables.map(({ key }: { key: string }) => key)
  const order = ['CI_JOB_ID', 'CI_PROJECT_ID', 'CI_RUNNER_ID', 'GLOBAL', 'GITLAB_USER_ID', 'SECRET', 'GIVEN']
  expect(order.map((key) => keys.lastIndexOf(key))).toEqual(order.map((key) => keys.lastIndexOf(key)).toSorted((one, other) => one - other))
})

test('a job that is told to print its variables is known as one when it is taken, for agents that do not say so', async () => {
  const forge = await testForge()
  const text = (value: string) => `test: {script: [env], variables: {CI_DEBUG_TRACE: "${value}"}}`
  const printing = async (value: string) => {
    const project = await forge.project({ files: { '.gitlab-ci.yml': text(value) } })
    const runner = await runnerOf(forge, project)
    await forge.as(forge.root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    const { id } = await requestUntilThere(forge, runner)
    return (await forge.app.db.selectFrom('ci_jobs').select('prints_variables').where('id', '=', id).executeTakeFirst())?.prints_variables
  }
  expect([await printing('true'), await printing('false')]).toEqual([true, false])
})

test('a job that succeeds starts those of the next stage, and its token ends', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: { '.gitlab-ci.yml': file } })
  const runner = await runnerOf(forge, project, { tag_list: 'linux' })
  const { body: pipeline } = await forge.as(forge.root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const first = await requestUntilThere(forge, runner)
  const running = await forge.anonymous.request('PUT', `/jobs/${first.id}`, { token: first.token, state: 'running' })
  const early = await forge.anonymous.request('PUT', `/jobs/${first.id}`, {
    token: first.token,
    state: 'success',
    output: { checksum: 'crc32:00000000', bytesize: 7 },
  })
  const ended = await forge.anonymous.request('PUT', `/jobs/${first.id}`, { token: first.token, state: 'success', exit_code: 0 })
  const late = await forge.anonymous.request('PUT', `/jobs/${first.id}`, { token: first.token, state: 'failed' })
  const second = await requestUntilThere(forge, runner)

  expect([running, early, ended].map(({ status, headers }) => [status, headers['job-status']])).toEqual([
    [200, 'running'],
    [202, 'running'],
    [200, undefined],
  ])
  expect([late.status, late.headers['job-status'], late.body]).toEqual([403, 'success', { message: '403 Forbidden - Job is not running' }])
  expect(second).toMatchObject({ job_info: { name: 'check' }, dependencies: [{ id: first.id, name: 'compile', token: second.token }] })
  const failed = await forge.anonymous.request('PUT', `/jobs/${second.id}`, {
    token: second.token,
    state: 'failed',
    failure_reason: 'script_failure',
    exit_code: 3,
  })
  expect([failed.status, failed.headers['job-status']]).toEqual([200, undefined])
  const row = await forge.app.db.selectFrom('ci_jobs').select('exit_code').where('id', '=', second.id).executeTakeFirst()
  expect(row).toEqual({ exit_code: 3 })
  expect((await forge.as(forge.root).get(`/projects/${project.id}/pipelines/${pipeline.id}`)).body.status).toBe('failed')
})

test('reports with a wrong token, state or reason change nothing', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: { '.gitlab-ci.yml': file } })
  const runner = await runnerOf(forge, project, { tag_list: 'linux' })
  await forge.as(forge.root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const { id, token } = await requestUntilThere(forge, runner)
  const put = (job: number | string, body: unknown) => forge.anonymous.request('PUT', `/jobs/${job}`, body)

  const answers = [
    await put(id, { token: 'wrong', state: 'success' }),
    await put(id, { state: 'success' }),
    await put(id + 1, { token, state: 'success' }),
    await put('one', { token, state: 'success' }),
    await put(id, { token, state: 'finished' }),
    await put(id, { token, state: 'failed', failure_reason: 'the weather' }),
    await put(id, { token, state: 'success', exit_code: 'x' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 400, 400, 400, 400])
  const row = await forge.app.db.selectFrom('commit_statuses').select('status').where('id', '=', id).executeTakeFirst()
  expect(row).toEqual({ status: 'running' })
})

test('a runner whose trace has not arrived whole is told to send it and to report again, and how often', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: { '.gitlab-ci.yml': file } })
  const runner = await runnerOf(forge, project, { tag_list: 'linux' })
  await forge.as(forge.root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const { id, token } = await requestUntilThere(forge, runner)
  const report = async (body: Record<string, unknown>) => {
    const { status, headers } = await forge.anonymous.request('PUT', `/jobs/${id}`, { token, ...body })
    return [status, headers['job-status'], headers['x-gitlab-trace-update-interval']]
  }

  const alive = await report({ state: 'running' })
  const early = await report({ state: 'success', output: { checksum: 'crc32:00000000', bytesize: 1 } })
  const done = await report({ state: 'success', output: { bytesize: 0 } })

  expect([alive, early, done]).toEqual([
    [200, 'running', '3'],
    [202, 'running', '3'],
    [200, undefined, undefined],
  ])
})

test('a whole trace in a report is kept, and the coverage in it read', async () => {
  const forge = await testForge()
  const text = "test:\n  script: [make check]\n  coverage: '/Covered: (\\d+\\.\\d+)%/'\n"
  const project = await forge.project({ files: { '.gitlab-ci.yml': text } })
  const runner = await runnerOf(forge, project)
  await forge.as(forge.root).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  const { id, token } = await requestUntilThere(forge, runner)
  const ended = await forge.anonymous.request('PUT', `/jobs/${id}`, { token, state: 'success', trace: 'hello\nCovered: 73.5%\n' })

  expect([ended.status, ended.headers['job-status']]).toEqual([200, undefined])
  expect((await forge.as(forge.root).get(`/projects/${project.id}/jobs/${id}`)).body.coverage).toBe(73.5)
  expect((await forge.as(forge.root).get(`/projects/${project.id}/jobs/${id}/trace`)).text).toBe('hello\nCovered: 73.5%\n')
})
