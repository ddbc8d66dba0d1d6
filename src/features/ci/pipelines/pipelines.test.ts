/** From a push to the end of its pipeline, and what the API says of it. */
import { expect, test } from 'vitest'
import { builtProject, pipelineOf, runNamed, statusesOf, takeNamed } from '../../../../test/support/fixtures/built-pipelines.ts'
import type { TestUser } from '../../../../test/support/forge.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

const file = `
stages: [build, test, deploy]
compile: {stage: build, script: [make]}
unit: {stage: test, script: [make test], retry: 1}
lint: {stage: test, script: [make lint], allow_failure: true}
ship: {stage: deploy, script: [make ship], when: manual}
`

test('a push makes a pipeline, whose stages follow each other to the end', async () => {
  const { forge, pipeline_id, project } = await builtProject(file)
  const { db } = forge.app
  const statuses = () => statusesOf(db, pipeline_id)

  expect(await pipelineOf(db, pipeline_id)).toMatchObject({
    ...{ status: 'pending', source: 'push', tag: false, ref: 'topic', before_sha: null, yaml_errors: null, protected: false },
  })
  expect(
    (await db.selectFrom('pipelines').select('protected').where('project_id', '=', project.id).orderBy('id').execute())[0]?.protected,
  ).toBeTruthy()
  expect(await statuses()).toEqual(['compile pending', 'unit created', 'lint created', 'ship created'])
  await runNamed(db, pipeline_id, 'compile')
  expect((await pipelineOf(db, pipeline_id)).status).toBe('running')
  expect(await statuses()).toEqual(['compile success', 'unit pending', 'lint pending', 'ship created'])
  await runNamed(db, pipeline_id, 'lint', 'failed')
  const first = await runNamed(db, pipeline_id, 'unit', 'failed')
  expect(first?.retried_as).toBeGreaterThan(0)
  expect((await statuses()).slice(-1)).toEqual(['unit pending'])
  await runNamed(db, pipeline_id, 'unit')
  expect(await statuses()).toEqual(['compile success', 'unit failed', 'lint failed', 'ship manual', 'unit success'])
  expect(await pipelineOf(db, pipeline_id)).toMatchObject({
    status: 'success',
    coverage: 50,
    duration_s: expect.any(Number),
    finished_at: expect.any(String),
  })
})

test('a file with errors makes a failed pipeline that tells them; without a file there is none', async () => {
  const { forge, as, at, pipeline_id } = await builtProject('unit: {stage: nowhere, script: [x]}')

  expect((await as.get(`${at}/pipelines/${pipeline_id}`)).body).toMatchObject({
    status: 'failed',
    yaml_errors: expect.stringContaining('unit'),
  })
  expect(await statusesOf(forge.app.db, pipeline_id)).toEqual([])
  const asked = await as.post(`${at}/pipeline`, { ref: 'topic' })
  expect([asked.status, asked.body]).toEqual([400, { message: { base: [expect.stringContaining('unit')] } }])
  const bare = await forge.project()
  const without = await forge.as(forge.root).post(`/projects/${bare.id}/pipeline`, { ref: 'main' })
  expect([without.status, without.body]).toEqual([400, { message: { base: ['Missing .gitlab-ci.yml file'] } }])
  expect((await forge.as(forge.root).get(`/projects/${bare.id}/pipelines`)).body).toEqual([])
})

test('the message of a commit can skip its pipeline, unless somebody asks for one', async () => {
  const { as, at, forge } = await builtProject(file)
  const commit = { branch: 'quiet', start_branch: 'main', commit_message: 'Docs [skip ci]', content: 'x' }
  await as.post(`${at}/repository/files/README.md`, commit)
  await forge.drain()

  expect((await as.get(`${at}/pipelines?ref=quiet`)).body).toMatchObject([{ status: 'skipped', source: 'push' }])
  expect((await as.post(`${at}/pipeline`, { ref: 'quiet' })).body).toMatchObject({ status: 'pending', source: 'api' })
})

test('a branch that has moved since a push has the pipeline of what was pushed; one that is gone has none', async () => {
  const { as, at, forge } = await builtProject(file)
  const old = (await as.get(`${at}/repository/branches/topic`)).body.commit.id
  for (const branch of ['moved', 'gone']) await as.post(`${at}/repository/branches`, { branch, ref: 'main' })
  await as.post(`${at}/repository/files/README.md`, { branch: 'moved', commit_message: 'Next', content: 'x' })
  await as.delete(`${at}/repository/branches/gone`)
  await forge.drain()

  const shas = async (ref: string) => (await as.get(`${at}/pipelines?ref=${ref}`)).body.map(({ sha }: { sha: string }) => sha)
  expect([(await shas('moved')).at(-1), (await shas('moved')).length, await shas('gone')]).toEqual([old, 2, []])
})

test('a pipeline is created by name of a branch or tag, with variables that its rules see and that are not told to everybody', async () => {
  const { forge, as, at, project } = await builtProject(
    'plain: {script: [x]}\nspecial: {script: [x], rules: [{if: $WANTED == "yes please"}]}',
  )
  const reporter = await forge.user()
  await as.post(`${at}/members`, { user_id: reporter.id, access_level: 20 })
  const created = await as.post(`${at}/pipeline`, { ref: 'topic', variables: [{ key: 'WANTED', value: 'yes please' }] })

  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    ...{ status: 'pending', before_sha: '0'.repeat(40), tag: false, yaml_errors: null, finished_at: null, coverage: null, ref: 'topic' },
    web_url: expect.stringMatching(new RegExp(`/pipelines/${created.body.id}$`)),
  })
  expect(await statusesOf(forge.app.db, created.body.id)).toEqual(['plain pending', 'special pending'])
  const variables = `${at}/pipelines/${created.body.id}/variables`
  expect((await as.get(variables)).body).toEqual([{ key: 'WANTED', value: 'yes please', variable_type: 'env_var', raw: false }])
  expect((await forge.as(reporter).get(variables)).status).toBe(403)
  const stored = await forge.app.db.selectFrom('ci_pipeline_variables').select('value').where('pipeline_id', '=', created.body.id).execute()
  expect(stored[0]?.value).not.toContain('yes please')
  for (const [body, words] of [
    [{ ref: 'gone' }, ['Reference not found']],
    [{ ref: 'main~1' }, ['Reference not found']],
    [{ ref: 'topic', variables: [{ key: 'A B', value: 'x' }] }, ["Variables key can contain only letters, digits and '_'."]],
    [
      {
        ref: 'topic',
        variables: [
          { key: 'A', value: 'x' },
          { key: 'A', value: 'y' },
        ],
      },
      ['Variables have duplicate values (A)'],
    ],
  ] as const) {
    const refused = await as.post(`${at}/pipeline`, body)
    expect([refused.status, refused.body]).toEqual([400, { message: { base: words } }])
  }
  expect((await as.post(`${at}/pipeline`, {})).body).toEqual({ error: 'ref is missing' })
  expect((await forge.as(reporter).post(`${at}/pipeline`, { ref: 'topic' })).status).toBe(403)
  await forge.app.db.updateTable('projects').set({ builds_access_level: 'disabled' }).where('id', '=', project.id).execute()
  expect((await as.post(`${at}/pipeline`, { ref: 'topic' })).status).toBe(403)
})

test('a pipeline is canceled, retried and deleted', async () => {
  const { forge, as, at, pipeline_id } = await builtProject(file)
  const { db } = forge.app
  const one = `${at}/pipelines/${pipeline_id}`
  await takeNamed(db, pipeline_id, 'compile')

  const canceled = await as.post(`${one}/cancel`)
  expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled'])
  expect(await statusesOf(db, pipeline_id)).toEqual(['compile canceled', 'unit canceled', 'lint canceled', 'ship canceled'])
  const retried = await as.post(`${one}/retry`)
  expect([retried.status, retried.body.status]).toEqual([201, 'pending'])
  expect((await statusesOf(db, pipeline_id)).slice(4)).toEqual(['compile pending', 'unit created', 'lint created', 'ship created'])
  expect((await as.delete(one)).status).toBe(403)
  expect((await forge.as(forge.root).delete(one)).status).toBe(204)
  expect((await as.get(one)).status).toBe(404)
  expect(
    await db
      .selectFrom('ci_queue')
      .selectAll()
      .where('job_id', 'in', (eb) => eb.selectFrom('ci_jobs').select('id').where('pipeline_id', '=', pipeline_id))
      .execute(),
  ).toEqual([])
})

test('lists of pipelines and jobs are filtered, and cost the same however long they are', async () => {
  const { forge, as, at, pipeline_id } = await builtProject(file)
  const cost = async () => [
    await forge.cost(() => as.get(`${at}/pipelines`)),
    await forge.cost(() => as.get(`${at}/jobs`)),
    await forge.cost(() => as.get(`${at}/pipelines/${pipeline_id}/jobs`)),
  ]
  await cost()
  const few = await cost()
  for (let more = 0; more < 3; more += 1) await as.post(`${at}/pipeline`, { ref: 'topic' })
  await runNamed(forge.app.db, pipeline_id, 'compile')
  await as.post(`${at}/pipelines/${pipeline_id}/retry`)

  expect((await cost()).map(({ statements }) => statements)).toEqual(few.map(({ statements }) => statements))
  const count = async (query: string) => Number((await as.get(`${at}/pipelines?${query}`)).headers['x-total'])
  expect([await count(''), await count('ref=topic'), await count('scope=branches'), await count('scope=tags')]).toEqual([5, 4, 2, 0])
  expect([await count('status=pending'), await count('scope=running'), await count('scope=finished')]).toEqual([4, 1, 0])
  expect([await count('yaml_errors=true'), await count('yaml_errors=false'), await count('username=nobody')]).toEqual([0, 5, 0])
  expect((await as.get(`${at}/pipelines?status=unknown`)).status).toBe(400)
  expect((await as.get(`${at}/pipelines?order_by=status&sort=asc`)).body.map(({ status }: { status: string }) => status).at(-1)).toBe(
    'running',
  )
  expect((await as.get(`${at}/pipelines/latest?ref=topic`)).body.id).toBeGreaterThan(pipeline_id)
  expect((await as.get(`${at}/jobs?scope=success`)).body).toMatchObject([{ name: 'compile', status: 'success' }])
  expect((await as.get(`${at}/jobs?scope[]=success&scope[]=running`)).body).toHaveLength(1)
  const unknown = await as.get(`${at}/jobs?scope=strange`)
  expect([unknown.status, unknown.body]).toEqual([400, { message: 'Scope contains invalid value(s)' }])
})

test('a newer pipeline of the branch cancels the older one, unless a job runs that must not be interrupted', async () => {
  const { forge, as, at, pipeline_id } = await builtProject('a: {script: [x]}\nb: {script: [x], interruptible: true}')
  const { db } = forge.app
  const commit = async (name: string) => {
    await as.post(`${at}/repository/files/${name}`, { branch: 'topic', commit_message: name, content: 'x' })
    await forge.drain()
    return (await as.get(`${at}/pipelines/latest?ref=topic`)).body.id as number
  }

  const second = await commit('second')
  expect((await pipelineOf(db, pipeline_id)).status).toBe('canceled')
  await takeNamed(db, second, 'a')
  const third = await commit('third')
  expect((await pipelineOf(db, second)).status).toBe('running')
  await takeNamed(db, third, 'b')
  await commit('fourth')
  expect((await pipelineOf(db, third)).status).toBe('canceled')
})

test('pipelines of a commit are limited by user and minute, also for simultaneous requests, and other users are not affected', async () => {
  const { forge, project, at } = await builtProject(file)
  const [one, other] = [await forge.user(), await forge.user()]
  for (const { id } of [one, other]) await forge.as(forge.root).post(`${at}/members`, { user_id: id, access_level: 40 })
  await writeSettings(forge.app.db, { pipeline_limit_per_project_user_sha: 2 })
  const start = (user: TestUser) => forge.as(user).post(`${at}/pipeline`, { ref: 'topic' })
  const answers = await Promise.all(Array.from({ length: 5 }, () => start(one)))
  const others = await start(other)
  await forge.app.db.deleteFrom('settings').where('name', '=', 'pipeline_limit_per_project_user_sha').execute()

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400])
  const refusal = { message: { base: ['Too many pipelines created in the last minute. Try again later.'] } }
  expect(answers.filter(({ status }) => status === 400).map(({ body }) => body)).toEqual([refusal, refusal, refusal])
  expect(others.status).toBe(201)
  const rows = await forge.app.db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project.id)
    .where('user_id', '=', one.id)
    .execute()
  expect(rows).toHaveLength(2)
})
