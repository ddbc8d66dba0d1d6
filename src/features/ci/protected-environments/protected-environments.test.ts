import { expect, test } from 'vitest'
import { runJob } from '../../../../test/support/fixtures/ci-runs.ts'
import { type TestUser, testForge } from '../../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'

const file = `
stages: [deploy, after]
deploy: {stage: deploy, script: [deploy], environment: production}
again: {stage: deploy, script: [deploy], when: manual, environment: staging}
after: {stage: after, script: [tell]}
`

/** @param groups whether its project is in a group, below another one */
async function bench({ groups = false } = {}) {
  const forge = await testForge()
  const above = groups ? await forge.group() : undefined
  const [maintainer, developer, other, reporter] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({
    maintainer,
    developer,
    reporter,
    ...(above && { group: await forge.group({ parent: above }) }),
    commits: [{ message: 'First', files: { '.gitlab-ci.yml': file } }],
  })
  const at = `/projects/${project.id}`
  const client = forge.as(maintainer)
  await client.post(`${at}/members`, { user_id: other.id, access_level: 40 })
  await client.delete(`${at}/protected_branches/main`)
  // The pipeline of its first push has been created.
  await forge.drain()
  const protect = (body: object) => client.post(`${at}/protected_environments`, body)
  /** Starts a pipeline as a user. Returns its jobs by name, and a function that reads them again. */
  const start = async (by: TestUser) => {
    const { body } = await forge.as(by).post(`${at}/pipeline`, { ref: 'main' })
    await forge.drain()
    const jobs = async () => {
      const rows = (await client.get(`${at}/pipelines/${body.id}/jobs`)).body as Array<{ id: number; name: string; status: string }>
      return new Map(rows.map((row) => [row.name, row]))
    }
    const statuses = async () => Object.fromEntries([...(await jobs())].map(([name, { status }]) => [name, status]))
    const idOf = async (name: string) => (await jobs()).get(name)?.id
    const deployment = async (environment = 'production') =>
      (await client.get(`${at}/deployments?environment=${environment}&sort=desc`)).body[0] as { id: number; status: string }
    return { id: body.id as number, statuses, idOf, deployment }
  }
  const say = (by: TestUser, id: number, status: string, more = {}) =>
    forge.as(by).post(`${at}/deployments/${id}/approval`, { status, ...more })
  return { forge, project, above, at, client, maintainer, developer, other, reporter, protect, start, say }
}

test('an environment is protected, its rules change one by one, and it is open again', async () => {
  const { at, client, developer, protect } = await bench()

  const made = await protect({
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }],
    approval_rules: [{ user_id: developer.id, required_approvals: 1 }],
  })
  const [level] = made.body.deploy_access_levels
  const [rule] = made.body.approval_rules
  const one = `${at}/protected_environments/production`

  const named = { user_id: null, group_id: null, group_inheritance_type: 0 }
  expect([made.status, made.body]).toEqual([
    201,
    {
      name: 'production',
      deploy_access_levels: [{ id: level.id, access_level: 40, access_level_description: 'Maintainers', ...named }],
      required_approval_count: 0,
      approval_rules: [
        {
          id: rule.id,
          access_level: null,
          access_level_description: developer.name,
          ...named,
          user_id: developer.id,
          required_approvals: 1,
        },
      ],
    },
  ])
  expect((await client.get(`${at}/protected_environments`)).body).toEqual([made.body])
  const changed = await client.put(one, {
    deploy_access_levels: [{ id: level.id, access_level: 30 }, { user_id: developer.id }],
    required_approval_count: 2,
    approval_rules: [{ id: rule.id, _destroy: true }],
  })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    {
      deploy_access_levels: [{ id: level.id, access_level: 30 }, { user_id: developer.id }],
      required_approval_count: 2,
      approval_rules: [],
    },
  ])
  expect((await client.get(one)).body).toEqual(changed.body)
  expect([(await client.delete(one)).status, (await client.get(one)).status]).toEqual([204, 404])
})

test('rules that name nobody, several at once or someone unknown are refused, and nothing is kept', async () => {
  const { forge, at, client, protect } = await bench()
  const stranger = await forge.user()
  const levels = { deploy_access_levels: [{ access_level: 40 }] }
  const words = async (body: object) => (await protect({ name: 'production', ...body })).body.message

  expect(await words({ deploy_access_levels: [] })).toEqual({ deploy_access_levels: ["can't be blank"] })
  expect(await words({ deploy_access_levels: [{}] })).toEqual({
    deploy_access_levels: ['must name one of access_level, user_id and group_id'],
  })
  expect(await words({ deploy_access_levels: [{ access_level: 20 }] })).toEqual({
    deploy_access_levels: ['access_level is not included in the list'],
  })
  expect(await words({ ...levels, approval_rules: [{ user_id: 999_999 }] })).toEqual({ approval_rules: ['user does not exist'] })
  expect(await words({ ...levels, approval_rules: [{ group_id: 999_999 }] })).toEqual({ approval_rules: ['group does not exist'] })
  expect(await words({ ...levels, approval_rules: [{ user_id: stranger.id }] })).toEqual({ approval_rules: ['user is not a member'] })
  expect(await words({ deploy_access_levels: [{ user_id: stranger.id }] })).toEqual({ deploy_access_levels: ['user is not a member'] })
  expect((await client.get(`${at}/protected_environments`)).body).toEqual([])
  expect([(await protect({ name: 'production', ...levels })).status, (await protect({ name: 'production', ...levels })).status]).toEqual([
    201, 409,
  ])
  const gone = await client.put(`${at}/protected_environments/production`, { deploy_access_levels: [{ id: 999_999, access_level: 30 }] })
  expect(gone.status).toBe(404)
})

test('the deployment job of a user who may not deploy fails, and only deployers play, retry or report one', async () => {
  const { forge, at, developer, maintainer, protect, start } = await bench()
  for (const name of ['production', 'staging']) await protect({ name, deploy_access_levels: [{ access_level: 40 }] })

  const pipeline = await start(developer)
  const as = forge.as(developer)
  expect(await pipeline.statuses()).toEqual({ deploy: 'failed', again: 'manual', after: 'skipped' })
  const deploy = await pipeline.idOf('deploy')
  expect((await as.get(`${at}/jobs/${deploy}`)).body).toMatchObject({ failure_reason: 'protected_environment_failure' })
  const refused = await Promise.all([
    as.post(`${at}/jobs/${await pipeline.idOf('again')}/play`),
    as.post(`${at}/jobs/${deploy}/retry`),
    as.post(`${at}/deployments`, { environment: 'production', sha: 'main', ref: 'main', status: 'success' }),
  ])
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
  expect((await forge.as(maintainer).post(`${at}/jobs/${deploy}/retry`)).status).toBe(201)
  expect(await pipeline.statuses()).toMatchObject({ deploy: 'pending', after: 'created' })
})

test('a deployment waits for approvals of others, and the last one starts its job', async () => {
  const { forge, at, client, maintainer, other, developer, reporter, protect, start, say } = await bench()
  await protect({
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }],
    approval_rules: [{ access_level: 40 }, { user_id: developer.id }],
  })

  const pipeline = await start(maintainer)
  const { id, status } = await pipeline.deployment()
  expect([status, await pipeline.statuses()]).toEqual(['blocked', { deploy: 'manual', again: 'manual', after: 'created' }])
  expect((await client.post(`${at}/jobs/${await pipeline.idOf('deploy')}/play`)).status).toBe(400)
  expect([(await say(maintainer, id, 'approved')).status, (await say(reporter, id, 'approved')).status]).toEqual([400, 403])

  const first = await say(other, id, 'approved', { comment: 'Fine' })
  expect([first.status, first.body]).toMatchObject([201, { user: { id: other.id }, status: 'approved', comment: 'Fine' }])
  expect((await client.get(`${at}/deployments/${id}`)).body).toMatchObject({
    pending_approval_count: 1,
    approvals: [{ user: { id: other.id } }],
    approval_summary: { rules: [{ deployment_approvals: [{ status: 'approved' }] }, { deployment_approvals: [] }] },
  })
  expect(await pipeline.statuses()).toMatchObject({ deploy: 'manual' })
  await say(developer, id, 'approved')
  expect(await pipeline.statuses()).toMatchObject({ deploy: 'pending', after: 'created' })
  await runJob(forge, pipeline.id, 'deploy', 'success')
  expect([await pipeline.statuses(), (await pipeline.deployment()).status]).toMatchObject([{ after: 'pending' }, 'success'])
  expect((await say(other, id, 'rejected')).body.message).toBe('This deployment is not waiting for approvals.')
})

test('a rejection fails the job, and approvals of those who lost access do not count', async () => {
  const { at, client, maintainer, other, developer, protect, start, say } = await bench()
  await protect({ name: 'production', deploy_access_levels: [{ access_level: 40 }], required_approval_count: 1 })
  await protect({ name: 'staging', deploy_access_levels: [{ access_level: 30 }], required_approval_count: 1 })

  const pipeline = await start(maintainer)
  expect((await say(other, (await pipeline.deployment()).id, 'rejected')).status).toBe(201)
  expect([(await pipeline.deployment()).status, await pipeline.statuses()]).toEqual([
    'failed',
    { deploy: 'failed', again: 'manual', after: 'skipped' },
  ])
  const job = await client.get(`${at}/jobs/${await pipeline.idOf('deploy')}`)
  expect(job.body).toMatchObject({ failure_reason: 'deployment_rejected' })

  const play = async () => (await client.post(`${at}/jobs/${await pipeline.idOf('again')}/play`)).status
  const { id } = await pipeline.deployment('staging')
  await say(developer, id, 'approved')
  await client.delete(`${at}/members/${developer.id}`)
  expect([await play(), (await client.get(`${at}/deployments/${id}`)).body.pending_approval_count]).toEqual([400, 1])
  await say(other, id, 'approved')
  expect([await play(), await pipeline.statuses()]).toMatchObject([200, { again: 'pending' }])
})

test('a named user who has left can’t deploy or approve, and the other rules can still be changed', async () => {
  const { at, client, maintainer, developer, other, protect, start, say } = await bench()
  const deployers = [{ user_id: maintainer.id }, { user_id: other.id }]
  const rules = { deploy_access_levels: deployers, approval_rules: [{ user_id: developer.id }] }
  const made = await protect({ name: 'production', ...rules })
  const [, theirs] = made.body.deploy_access_levels
  await client.delete(`${at}/members/${other.id}`)
  const change = async (body: object) => client.put(`${at}/protected_environments/production`, body)
  expect((await change({ required_approval_count: 1 })).body.deploy_access_levels).toEqual(made.body.deploy_access_levels)
  expect((await change({ deploy_access_levels: [{ id: theirs.id, user_id: other.id }] })).body.message).toEqual({
    deploy_access_levels: ['user is not a member'],
  })
  const pipeline = await start(maintainer)
  const { id } = await pipeline.deployment()
  await client.delete(`${at}/members/${developer.id}`)
  expect((await say(developer, id, 'approved')).status).toBe(404)
  await client.post(`${at}/members`, { user_id: developer.id, access_level: 30 })
  expect([(await say(developer, id, 'approved')).status, await pipeline.statuses()]).toMatchObject([201, { deploy: 'pending' }])
})

test(
  'a group protects a tier in all projects below it, for roles in the group; what the project asks for counts, too',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const { forge, above, at, maintainer, other, protect, start, say } = await bench({ groups: true })
    const operator = await forge.user()
    const ofGroup = `/groups/${above?.id}/protected_environments`
    await forge.as(forge.root).post(`/groups/${above?.id}/members`, { user_id: operator.id, access_level: 40 })
    const api = forge.as(operator)
    const words = async (body: object) => (await api.post(ofGroup, body)).body.message
    const levels = { deploy_access_levels: [{ access_level: 40 }] }
    expect(await words({ name: 'prod', ...levels })).toEqual({
      name: ['must be one of production, staging, testing, development, other'],
    })
    expect(await words({ name: 'production', deploy_access_levels: [{ user_id: other.id }] })).toEqual({
      deploy_access_levels: ['user is not a member'],
    })
    const made = await api.post(ofGroup, { name: 'production', ...levels, required_approval_count: 1 })
    expect([made.status, made.body]).toMatchObject([201, { name: 'production', required_approval_count: 1 }])
    expect([(await api.get(ofGroup)).body, (await api.post(ofGroup, { name: 'production', ...levels })).status]).toEqual([[made.body], 409])

    // A maintainer of the project has no role in the group, and doesn't move the environment to another tier.
    expect(await (await start(maintainer)).statuses()).toEqual({ deploy: 'failed', again: 'manual', after: 'skipped' })
    const [environment] = (await forge.as(maintainer).get(`${at}/environments?name=production`)).body
    const its = `${at}/environments/${environment.id}`
    const moved = [await forge.as(maintainer).put(its, { tier: 'other' }), await forge.as(maintainer).delete(its)]
    expect([...moved.map(({ status }) => status), (await api.put(its, { description: 'Ours' })).status]).toEqual([403, 403, 200])
    // A new environment has the tier that its job names, whatever its own name says.
    const jobOf = (name: string, deployment_tier: string) => ({ script: ['deploy'], environment: { name, deployment_tier } })
    const tiers = JSON.stringify({ live: jobOf('live', 'production'), docs: jobOf('production/docs', 'development') })
    const actions = [{ action: 'update', file_path: '.gitlab-ci.yml', content: tiers }]
    const commit = { branch: 'tiers', start_branch: 'main', commit_message: 'Tiers', actions }
    expect((await forge.as(maintainer).post(`${at}/repository/commits`, commit)).status).toBe(201)
    await forge.drain()
    const ofTiers = (await forge.as(maintainer).get(`${at}/jobs`)).body.filter(({ ref }: { ref: string }) => ref === 'tiers')
    expect(Object.fromEntries(ofTiers.map((job: { name: string; status: string }) => [job.name, job.status]))).toEqual({
      ...{ live: 'failed', docs: 'pending' },
    })
    const pipeline = await start(operator)
    const { id, status } = await pipeline.deployment()
    expect([status, (await say(maintainer, id, 'approved')).status]).toEqual(['blocked', 403])
    expect((await say(operator, id, 'approved')).body.message).toBe('You cannot approve your own deployment.')
    expect(
      (await protect({ name: 'production', deploy_access_levels: [{ access_level: 30 }], approval_rules: [{ user_id: other.id }] })).status,
    ).toBe(201)
    const missing = async () => (await forge.as(maintainer).get(`${at}/deployments/${id}`)).body.pending_approval_count
    expect(await missing()).toBe(2)
    expect([(await say(other, id, 'approved')).status, await missing()]).toEqual([201, 1])
    const second = await forge.user()
    await forge.as(forge.root).post(`/groups/${above?.id}/members`, { user_id: second.id, access_level: 50 })
    await say(second, id, 'approved')
    expect(await pipeline.statuses()).toMatchObject({ deploy: 'pending' })

    const one = `${ofGroup}/production`
    expect((await api.put(one, { required_approval_count: 0 })).body.required_approval_count).toBe(0)
    expect([(await api.delete(one)).status, (await api.get(one)).status]).toEqual([204, 404])
    expect(await (await start(maintainer)).statuses()).toMatchObject({ deploy: 'manual' })
  },
)
