import { beforeAll, expect, test } from 'vitest'
import { endJobRow, jobOf, type TestJob } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { tryGit } from '../../../../test/support/git.ts'
import { now } from '../../../db/instants.ts'
import { endpoints } from '../../index.ts'
import { requireRunningJob } from './job-tokens.ts'

let forge: Forge
let developer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  project = await forge.project({ developer })
})

const asJob = ({ token }: TestJob) => ({ headers: { 'job-token': token } })

async function clone(path: string, login: string, secret: string) {
  const url = (await forge.url()).replace('//', `//${login}:${secret}@`)
  const { code, stderr } = await tryGit(await forge.folder(), 'clone', '-q', `${url}/${path}.git`, `clone-${Math.random()}`)
  return { code, stderr }
}

test('the token of a running job calls the endpoints that take it, by header, query and body, as its user', async () => {
  const job = await jobOf(forge, project, developer)
  const at = `/projects/${project.id}/releases`

  const answers = [
    await forge.anonymous.get(at, asJob(job)),
    await forge.anonymous.get(`${at}?job_token=${job.token}`),
    await forge.anonymous.post(at, { tag_name: 'v1', ref: 'main', name: 'One' }, asJob(job)),
    await forge.anonymous.post(at, { tag_name: 'v2', ref: 'main', name: 'Two', job_token: job.token }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 201])
  expect(answers[2]?.body.author.username).toBe(developer.username)
})

test('the token ends with its job', async () => {
  const job = await jobOf(forge, project, developer)
  await endJobRow(forge, job, 'canceled')

  const answer = await forge.anonymous.get(`/projects/${project.id}/releases`, asJob(job))
  const cloned = await clone(project.full_path, 'gitlab-ci-token', job.token)
  const forAgent = await requireRunningJob(forge.app, job).catch((error) => [error.status, error.headers])

  expect([answer.status, answer.body]).toEqual([401, { message: '401 Unauthorized' }])
  expect(cloned.code).not.toBe(0)
  expect(forAgent).toEqual([403, { 'job-status': 'canceled' }])
})

test('no other endpoint knows the token: as header, parameter, private token or bearer', async () => {
  const job = await jobOf(forge, project, developer)
  const path = (declared: string) => declared.replace(/:id\b/g, String(project.id)).replace(/:\w+/g, '1')
  // Endpoints of agents take their own credential, which may be a job token.
  const others = endpoints.filter(({ jobTokens, root, access }) => !jobTokens && root !== '' && !access.own_credential)
  expect(others.length).toBeGreaterThan(400)
  for (const { method, path: declared } of others) {
    const send = (headers: Record<string, string>, query = '') =>
      forge.server.inject({ method, url: `/api/v4${path(declared)}${query}`, headers })
    const none = await send({})
    const byHeader = await send({ 'job-token': job.token })
    expect([method, declared, byHeader.statusCode]).toEqual([method, declared, none.statusCode])
    if (method !== 'GET') continue
    const asPrivate = await send({ 'private-token': job.token })
    const asBearer = await send({ authorization: `Bearer ${job.token}` })
    expect([declared, asPrivate.statusCode, asBearer.statusCode]).toEqual([declared, 401, 401])
  }
})

test('a job sees of other projects what is public, unless their allow-list has its project or a group above', async () => {
  const group = await forge.group({ developer })
  const inGroup = await forge.project({ group, developer })
  const other = await forge.project({ developer })
  const open = await forge.project({ developer, visibility: 'public' })
  const job = await jobOf(forge, project, developer)
  const jobInGroup = await jobOf(forge, inGroup, developer)
  const get = async (of: TestJob, { id }: TestProject) => (await forge.anonymous.get(`/projects/${id}/releases`, asJob(of))).status
  const post = async (of: TestJob, { id }: TestProject) =>
    (await forge.anonymous.post(`/projects/${id}/releases`, { tag_name: `v${of.id}`, ref: 'main' }, asJob(of))).status

  expect([await get(job, other), await get(job, open), await post(job, open), await post(job, other)]).toEqual([404, 200, 403, 404])
  const at = now()
  await forge.app.db
    .insertInto('ci_job_token_projects')
    .values({ project_id: other.id, allowed_project_id: project.id, created_at: at })
    .execute()
  await forge.app.db
    .insertInto('ci_job_token_groups')
    .values({ project_id: open.id, allowed_namespace_id: group.id, created_at: at })
    .execute()
  expect([await get(job, other), await post(job, other), await post(job, open), await get(jobInGroup, other)]).toEqual([200, 201, 403, 404])
  expect(await post(jobInGroup, open)).toBe(201)
  await forge.app.db.updateTable('projects').set({ job_token_scope_enabled: false }).where('id', '=', other.id).execute()
  expect(await get(jobInGroup, other)).toBe(200)
})

test('it reaches no more than its user: projects they cannot see, those they lost, and nothing once they are blocked', async () => {
  const user = await forge.user()
  const own = await forge.project({ developer: user })
  const strange = await forge.project()
  await forge.app.db.updateTable('projects').set({ job_token_scope_enabled: false }).where('id', '=', strange.id).execute()
  const job = await jobOf(forge, own, user)
  expect((await forge.anonymous.get(`/projects/${strange.id}/releases`, asJob(job))).status).toBe(404)

  await forge.as(forge.root).post(`/users/${user.id}/block`)

  const blocked = await forge.anonymous.get(`/projects/${own.id}/releases`, asJob(job))
  const cloned = await clone(own.full_path, 'gitlab-ci-token', job.token)
  expect([blocked.status, blocked.body.message]).toEqual([403, '403 Forbidden - Your account has been blocked.'])
  expect([cloned.code !== 0, cloned.stderr]).toEqual([true, expect.stringContaining('blocked')])
})

test('beside the token of a user it says nothing; with sudo, or another one, it is refused', async () => {
  const job = await jobOf(forge, project, forge.root)
  const at = `/projects/${project.id}/releases`
  const both = await forge.as(developer, { headers: { 'job-token': job.token } }).get(at)
  const sudo = await forge.anonymous.get(`${at}?sudo=${developer.username}`, asJob(job))
  const two = await forge.anonymous.get(`${at}?job_token=x`, asJob(job))
  expect([both.status, sudo.status, two.status]).toEqual([200, 401, 401])
})

test('git fetches with gitlab-ci-token what the job may read, and pushes nothing', async () => {
  const other = await forge.project({ developer })
  const job = await jobOf(forge, project, developer)
  expect((await clone(project.full_path, 'gitlab-ci-token', job.token)).code).toBe(0)
  expect((await clone(project.full_path, 'somebody', job.token)).code).not.toBe(0)
  expect((await clone(other.full_path, 'gitlab-ci-token', job.token)).stderr).toContain('could not be found')
  const url = (await forge.url()).replace('//', `//gitlab-ci-token:${job.token}@`)
  const pushed = await tryGit(project.dir, 'push', `${url}/${project.full_path}.git`, 'main:refs/heads/by-job')
  expect([pushed.code !== 0, pushed.stderr]).toEqual([true, expect.stringContaining('Job tokens cannot push.')])
})

test('a job of a project without jobs, or without its user, has no token', async () => {
  const user = await forge.user()
  const own = await forge.project({ owner: user })
  const job = await jobOf(forge, own, user)
  const get = async () => (await forge.anonymous.get(`/projects/${own.id}/releases`, asJob(job))).status
  expect(await get()).toBe(200)
  await forge.app.db.updateTable('projects').set({ builds_access_level: 'disabled' }).where('id', '=', own.id).execute()
  expect(await get()).toBe(401)
  await forge.app.db.updateTable('projects').set({ builds_access_level: 'enabled' }).where('id', '=', own.id).execute()
  await forge.app.db.updateTable('commit_statuses').set({ author_id: null }).where('id', '=', job.id).execute()
  expect(await get()).toBe(401)
})

test('the job itself is told by its token, while it runs, and as long as its user sees the project', async () => {
  const job = await jobOf(forge, project, developer)
  const byHeader = await forge.anonymous.get('/job', asJob(job))
  const byQuery = await forge.anonymous.get(`/job?job_token=${job.token}`)
  const { status, body } = await forge.as(developer).get(`/projects/${project.id}/jobs/${job.id}`)
  // It runs.
  const { duration: _, ...others } = body
  expect([byHeader.status, byHeader.body]).toMatchObject([status, others])
  expect([byQuery.status, byQuery.body.id]).toEqual([200, job.id])
  expect((await forge.anonymous.get('/job')).status).toBe(403)
  expect((await forge.as(developer).get('/job')).status).toBe(403)
  expect((await forge.anonymous.get('/job', { headers: { 'job-token': 'wrong' } })).status).toBe(403)
  await endJobRow(forge, job, 'success')
  expect((await forge.anonymous.get('/job', asJob(job))).status).toBe(403)
})

test('the job of a fork does not reach the project that it was forked from, unless that lets it in', async () => {
  const contributor = await forge.user()
  const source = await forge.project({ developer: contributor })
  const { body: fork } = await forge.as(contributor).post(`/projects/${source.id}/fork`)
  const job = await jobOf(forge, fork, contributor)
  const reach = () => forge.anonymous.get(`/projects/${source.id}/releases`, asJob(job))

  expect([(await reach()).status, (await clone(source.full_path, 'gitlab-ci-token', job.token)).code === 0]).toEqual([404, false])
  await forge.as(forge.root).post(`/projects/${source.id}/job_token_scope/allowlist`, { target_project_id: fork.id })
  expect((await reach()).status).toBe(200)
})

test('a runner may still report how the job of a user ended who was blocked a moment ago', async () => {
  const leaver = await forge.user()
  const job = await jobOf(forge, project, leaver)
  await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', leaver.id).execute()

  const ended = await forge.anonymous.request('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' })
  expect(ended.status).toBe(200)
  expect((await forge.as(developer).get(`/projects/${project.id}/jobs/${job.id}`)).body.status).toBe('success')
})
