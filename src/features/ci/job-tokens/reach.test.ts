/** A job reaches what its user and its project do, and nothing else: over every protocol, and at every address of files. */
import { beforeAll, expect, test } from 'vitest'
import { jobOf, type TestJob } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { tryGit } from '../../../../test/support/git.ts'

let forge: Forge
let user: TestUser
let own: TestProject
/** The user is in it; it takes no tokens of other projects. */
let closed: TestProject
/** It takes the tokens of all projects, but the user is not in it. */
let strange: TestProject
let job: TestJob

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
  own = await forge.project({ maintainer: user })
  closed = await forge.project({ maintainer: user })
  strange = await forge.project()
  await forge.app.db.updateTable('projects').set({ job_token_scope_enabled: false }).where('id', '=', strange.id).execute()
  job = await jobOf(forge, own, user)
})

const asJob = { headers: {} as Record<string, string> }
beforeAll(() => {
  asJob.headers = { 'job-token': job.token }
})

const basic = (login: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}` })

test('a job token opens no git and no wiki of a project that doesn’t allow it, or that its user cannot see', async () => {
  const url = (await forge.url()).replace('//', `//gitlab-ci-token:${job.token}@`)
  for (const { id } of [own, closed, strange]) {
    await forge.as(forge.root).post(`/projects/${id}/wikis`, { title: 'home', content: 'text' })
  }
  const reads = async (path: string) => (await tryGit(await forge.folder(), 'ls-remote', `${url}/${path}.git`)).code === 0
  const read: Record<string, boolean> = {}
  for (const [name, { full_path }] of Object.entries({ own, closed, strange })) {
    read[name] = await reads(full_path)
    read[`${name} wiki`] = await reads(`${full_path}.wiki`)
  }
  expect(read).toEqual({ own: true, 'own wiki': true, closed: false, 'closed wiki': false, strange: false, 'strange wiki': false })
})

test('large files: those of its project are downloaded, none is uploaded or locked, none of others is named', async () => {
  const batch = (path: string, operation: 'download' | 'upload') =>
    forge.server.inject({
      method: 'POST',
      url: `/${path}.git/info/lfs/objects/batch`,
      headers: {
        ...basic('gitlab-ci-token', job.token),
        'content-type': 'application/vnd.git-lfs+json',
        accept: 'application/vnd.git-lfs+json',
      },
      payload: JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid: 'a'.repeat(64), size: 1 }] }),
    })
  const status = async (project: TestProject, operation: 'download' | 'upload') => (await batch(project.full_path, operation)).statusCode
  expect([await status(own, 'download'), await status(own, 'upload')]).toEqual([200, 403])
  for (const project of [closed, strange]) expect([await status(project, 'download'), await status(project, 'upload')]).toEqual([404, 404])
})

test('packages: those of its project, and of others only what is open to everybody', async () => {
  const at = ({ id }: TestProject, rest = '') => `/projects/${id}/packages${rest}`
  const put = (project: TestProject) =>
    forge.anonymous.request('PUT', at(project, '/generic/tool/1.0/tool.txt'), Buffer.from('text'), {
      headers: { ...asJob.headers, 'content-type': 'application/octet-stream' },
    })
  expect([(await put(own)).status, (await forge.anonymous.get(at(own, '/generic/tool/1.0/tool.txt'), asJob)).status]).toEqual([201, 200])
  for (const project of [closed, strange]) {
    const read = await forge.anonymous.get(at(project, '/generic/tool/1.0/tool.txt'), asJob)
    expect([(await put(project)).status, (await forge.anonymous.get(at(project), asJob)).status, read.status]).toEqual([404, 404, 404])
  }
})

test('pages, raw files, archives, feeds, uploads and avatars know no token of a job, even those of its project', async () => {
  const addresses = [
    `/${own.full_path}`,
    `/${own.full_path}/raw/main/README.md`,
    `/${own.full_path}/-/archive/main/a.zip`,
    `/${own.full_path}/activity.atom`,
    `/${own.full_path}/issues.atom`,
    `/${own.full_path}/commits/main.atom`,
    `/${own.full_path}/uploads/${'a'.repeat(32)}/file.txt`,
    `/uploads/-/system/project/avatar/${own.id}/avatar.png`,
    `/api/v4/projects/${own.id}/repository/archive`,
    `/api/v4/projects/${own.id}/repository/files/README.md/raw?ref=main`,
    `/api/v4/projects/${own.id}/snapshot`,
    `/api/v4/events`,
    `/api/v4/user`,
  ]
  const sent = [
    { headers: { 'job-token': job.token } },
    { query: { job_token: job.token } },
    { query: { feed_token: job.token } },
    { headers: basic('gitlab-ci-token', job.token) },
  ]
  for (const url of addresses) {
    const none = await forge.server.inject({ method: 'GET', url })
    expect([url, none.statusCode < 300]).toEqual([url, false])
    for (const credentials of sent) {
      const { statusCode } = await forge.server.inject({ method: 'GET', url, ...credentials })
      expect([url, Object.keys(credentials), statusCode]).toEqual([url, Object.keys(credentials), none.statusCode])
    }
  }
})

test('what its token cannot do, its user can: the limits are those of the token', async () => {
  const at = (path: string) => forge.as(user).get(path)
  expect([
    (await at(`/projects/${closed.id}/packages`)).status,
    (await at(`/projects/${own.id}/repository/archive`)).status,
    (await at('/user')).status,
  ]).toEqual([200, 200, 200])
})
