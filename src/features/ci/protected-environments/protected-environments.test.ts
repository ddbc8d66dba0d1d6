import { expect, test } from 'vitest'
import { runJob } from '../../../../test/support/fixtures/ci-runs.ts'
import { type TestUser, testForge } from '../../../../test/support/forge.ts'

const file = `
stages: [deploy, after]
deploy: {stage: deploy, script: [deploy], environment: production}
again: {stage: deploy, script: [deploy], when: manual, environment: staging}
after: {stage: after, script: [tell]}
`

async function bench() {
  const forge = await testForge()
  const [maintainer, developer, other, reporter] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({
    maintainer,
    developer,
    reporter,
    commits: [{ message: 'First', files: { '.gitlab-ci.yml': file } }],
  })
  const at = `/projects/${project.id}`
  const client = forge.as(maintainer)
  await client.post(`${at}/members`, { user_id: other.id, access_level: 40 })
  await client.delete(`${at}/protected_branches/main`)
  // The pipeline of its first push has been created.
  await forge.drain()
  const protect = (body: object) => client.post(`${at}/protected_environments`, body)
  /** Of a pipeline that the user starts: its jobs by name, and how to read them again. */
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
  return { forge, project, at, client, maintainer, developer, other, reporter, protect, start, say }
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
  const { at, client, protect } = await bench()
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
  expect((await client.get(`${at}/protected_environments`)).body).toEqual([])
  expect([(await protect({ name: 'production', ...levels })).status, (await protect({ name: 'production', ...levels })).status]).toEqual([
    201, 409,
  ])
  const gone = await client.put(`${at}/protected_environments/production`, { deploy_access_levels: [{ id: 999_999, access_level: 30 }] })
  expect(gone.status).toBe(404)
})

test('the job of whoever may not deploy fails, and nobody else but deployers play, retry or report', async () => {
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
