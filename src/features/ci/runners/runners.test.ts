import { expect, test } from 'vitest'
import { jobOf } from '../../../../test/support/fixtures/jobs.ts'
import { runnerOf, tokenOf } from '../../../../test/support/fixtures/runners.ts'
import { testForge } from '../../../../test/support/forge.ts'

const ids = ({ body }: { body: Array<{ id: number }> }) => body.map(({ id }) => id)

test('users see the runners of what they manage, and a project those it can use', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const maintainer = await forge.user()
  const developer = await forge.user()
  const group = await forge.group({ owner })
  const project = await forge.project({ group, maintainer, developer })
  const shared = await runnerOf(forge, null)
  const own = await runnerOf(forge, project, { tag_list: 'a,b' })
  const { body: ofGroup } = await forge.as(owner).post('/user/runners', { runner_type: 'group_type', group_id: group.id })

  expect(ids(await forge.as(owner).get('/runners'))).toEqual([ofGroup.id, own.id])
  expect(ids(await forge.as(maintainer).get('/runners'))).toEqual([own.id])
  expect(ids(await forge.as(developer).get('/runners'))).toEqual([])
  expect(ids(await forge.as(maintainer).get(`/projects/${project.id}/runners?per_page=100`))).toEqual(
    expect.arrayContaining([ofGroup.id, own.id, shared.id]),
  )
  expect(ids(await forge.as(maintainer).get(`/projects/${project.id}/runners?type=project_type`))).toEqual([own.id])
  expect(ids(await forge.as(maintainer).get(`/projects/${project.id}/runners?scope=specific&tag_list=b,a`))).toEqual([own.id])
  expect(ids(await forge.as(maintainer).get(`/projects/${project.id}/runners?tag_list=c`))).toEqual([])
  expect(ids(await forge.as(owner).get(`/groups/${group.id}/runners?type=group_type`))).toEqual([ofGroup.id])
  expect(ids(await forge.as(forge.root).get('/runners/all?scope=shared&per_page=100'))).toContain(shared.id)
  const refused = [
    await forge.as(developer).get(`/projects/${project.id}/runners`),
    await forge.as(owner).get('/runners/all'),
    await forge.as(developer).get(`/runners/${own.id}`),
    await forge.as(developer).get('/runners/999999'),
    await forge.as(owner).get('/runners?scope=shared'),
    await forge.as(maintainer).get(`/runners/${ofGroup.id}`),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 404, 400, 403])
  expect((await forge.as(developer).get(`/runners/${shared.id}`)).body).toMatchObject({ id: shared.id, is_shared: true, projects: [] })
  const { statements } = await forge.cost(() => forge.as(maintainer).get(`/projects/${project.id}/runners`))
  await runnerOf(forge, project)
  await runnerOf(forge, project)
  const more = await forge.cost(() => forge.as(maintainer).get(`/projects/${project.id}/runners`))
  expect(more.statements).toBeLessThanOrEqual(statements)
})

test('a runner is shown and changed by who manages it; wrong values change nothing', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const runner = await runnerOf(forge, project, { description: 'old', info: { version: '16.0.2', platform: 'linux' } })
  const put = (body: object) => forge.as(maintainer).put(`/runners/${runner.id}`, body)

  const changed = await put({
    description: 'new',
    tag_list: ['b', 'a'],
    run_untagged: false,
    paused: true,
    maximum_timeout: 1200,
    access_level: 'ref_protected',
    locked: true,
  })
  expect([changed.status, changed.body]).toEqual([
    200,
    expect.objectContaining({
      id: runner.id,
      description: 'new',
      tag_list: ['a', 'b'],
      run_untagged: false,
      active: false,
      paused: true,
      maximum_timeout: 1200,
      access_level: 'ref_protected',
      locked: true,
      version: '16.0.2',
      runner_type: 'project_type',
      projects: [expect.objectContaining({ id: project.id, path_with_namespace: project.full_path })],
    }),
  ])
  expect(changed.text).not.toContain(runner.token)
  const wrong = [
    await put({}),
    await put({ tag_list: [] }),
    await put({ maximum_timeout: 5 }),
    await put({ access_level: 'all' }),
    await put({ paused: 'perhaps' }),
  ]
  expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
  expect((await forge.as(maintainer).get(`/runners/${runner.id}`)).body).toEqual(changed.body)
})

test('a runner is enabled for other projects of those who manage it, and disabled but for the last', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const [one, two] = [await forge.project({ maintainer }), await forge.project({ maintainer })]
  const runner = await runnerOf(forge, one)
  const locked = await runnerOf(forge, one, { locked: true })
  const foreign = await runnerOf(forge, await forge.project())
  const shared = await runnerOf(forge, null)
  const enable = (runner_id: number) => forge.as(maintainer).post(`/projects/${two.id}/runners`, { runner_id })
  const disable = (project: number) => forge.as(maintainer).delete(`/projects/${project}/runners/${runner.id}`)

  expect((await disable(one.id)).body).toEqual({
    message: '403 Forbidden - Only one project associated with the runner. Please remove the runner instead',
  })
  const answers = [
    await enable(runner.id),
    await enable(runner.id),
    await enable(locked.id),
    await enable(foreign.id),
    await enable(shared.id),
    await enable(999_999),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 400, 403, 403, 403, 404])
  expect((await forge.as(maintainer).delete(`/runners/${runner.id}`)).body).toEqual({
    message: '403 Forbidden - Runner associated with more than one project',
  })
  expect([await disable(two.id), await disable(two.id)].map(({ status }) => status)).toEqual([204, 404])
  expect(
    [await forge.as(maintainer).delete(`/runners/${runner.id}`), await forge.as(maintainer).get(`/runners/${runner.id}`)].map(
      ({ status }) => status,
    ),
  ).toEqual([204, 404])
})

test('users create runners where they manage, and machines use the token', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const create = (body: object) => forge.as(maintainer).post('/user/runners', body)

  const made = await create({ runner_type: 'project_type', project_id: project.id, tag_list: 'x', description: 'made' })
  expect([made.status, made.body]).toEqual([
    201,
    { id: expect.any(Number), token: expect.stringMatching(/^glrt-/), token_expires_at: null },
  ])
  await forge.anonymous.post('/runners/verify', { token: made.body.token, system_id: 's_one' })
  await forge.anonymous.post('/jobs/request', {
    token: made.body.token,
    system_id: 's_two',
    info: { version: '16.0.3', platform: 'linux' },
  })
  const machines = await forge.as(maintainer).get(`/runners/${made.body.id}/managers`)
  expect(machines.body.map(({ system_id, version, status }: Record<string, string>) => [system_id, version, status])).toEqual([
    ['s_two', '16.0.3', 'online'],
    ['s_one', null, 'online'],
  ])
  const refused = [
    await create({ runner_type: 'instance_type' }),
    await create({ runner_type: 'project_type' }),
    await create({ runner_type: 'project_type', project_id: (await forge.project()).id }),
    await create({ runner_type: 'group_type', group_id: (await forge.group({ maintainer })).id }),
    await create({ runner_type: 'any' }),
    await forge.anonymous.post('/user/runners', { runner_type: 'instance_type' }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 400, 404, 403, 400, 401])
  const reset = await forge.as(maintainer).post(`/runners/${made.body.id}/reset_authentication_token`)
  expect([reset.status, (await forge.anonymous.post('/runners/verify', { token: made.body.token })).status]).toEqual([201, 403])
})

test('registration tokens are replaced by who manages the place', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const group = await forge.group({ owner })
  const project = await forge.project({ group })
  const reset = async (path: string, user = owner) => (await forge.as(user).post(`${path}/reset_registration_token`)).body.token as string
  const tokens = [
    await reset(`/projects/${project.id}/runners`),
    await reset(`/groups/${group.id}/runners`),
    await reset('/runners', forge.root),
  ]
  for (const token of tokens) expect((await forge.anonymous.post('/runners', { token })).status).toBe(201)
  expect((await forge.anonymous.post('/runners', { token: tokenOf(forge, project) })).status).toBe(403)
})

test('the jobs of a runner are listed for who manages it, of projects they may see', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer })
  const hidden = await forge.project()
  const runner = await runnerOf(forge, project)
  const job = await jobOf(forge, project, forge.root)
  const other = await jobOf(forge, hidden, forge.root, { status: 'success' })
  await forge.app.db.updateTable('commit_statuses').set({ runner_id: runner.id }).where('id', 'in', [job.id, other.id]).execute()

  const own = await forge.as(maintainer).get(`/runners/${runner.id}/jobs`)
  expect(own.body).toEqual([
    expect.objectContaining({ id: job.id, status: 'running', project: expect.objectContaining({ id: project.id }) }),
  ])
  expect(ids(await forge.as(forge.root).get(`/runners/${runner.id}/jobs`))).toEqual([other.id, job.id])
  expect(ids(await forge.as(forge.root).get(`/runners/${runner.id}/jobs?status=success`))).toEqual([other.id])
  // As on the project's own pages, there are none where pipelines are off.
  await forge.app.db.updateTable('projects').set({ builds_access_level: 'disabled' }).where('id', '=', project.id).execute()
  expect(ids(await forge.as(maintainer).get(`/runners/${runner.id}/jobs`))).toEqual([])
})
