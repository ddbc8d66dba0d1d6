/** For whom each feature of a project is: levels and switches are one truth, and a private repository is for members. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

const put = async (project: { id: number }, sent: object) => (await forge.as(owner).put(`/projects/${project.id}`, sent)).body

describe('levels and switches', () => {
  test('agree, whichever was written', async () => {
    const project = await forge.project({ owner, files: null })
    const pairs = [
      ['issues_enabled', 'issues_access_level'],
      ['merge_requests_enabled', 'merge_requests_access_level'],
      ['jobs_enabled', 'builds_access_level'],
      ['wiki_enabled', 'wiki_access_level'],
      ['snippets_enabled', 'snippets_access_level'],
      ['container_registry_enabled', 'container_registry_access_level'],
    ] as const
    for (const [flag, level] of pairs) {
      for (const [sent, shown] of [
        [{ [flag]: false }, [false, 'disabled']],
        [{ [flag]: true }, [true, 'enabled']],
        [{ [level]: 'private' }, [true, 'private']],
        // A client that knows no levels writes back what it read.
        [{ [flag]: true }, [true, 'private']],
        [{ [level]: 'disabled' }, [false, 'disabled']],
        [{ [flag]: false, [level]: 'enabled' }, [true, 'enabled']],
      ] as const) {
        const body = await put(project, sent)
        expect([sent, [body[flag], body[level]]]).toEqual([sent, shown])
      }
    }
  })

  test('are taken when a project is created', async () => {
    const sent = {
      issues_access_level: 'private',
      wiki_enabled: false,
      forking_access_level: 'disabled',
      snippets_access_level: 'disabled',
    }
    const { body } = await forge.as(owner).post('/projects', { name: 'Levels', ...sent })
    expect(body).toMatchObject({ ...sent, issues_enabled: true, wiki_access_level: 'disabled', snippets_enabled: false })
    expect(body._links).toHaveProperty('issues')
  })

  test('are rejected if invalid, and nothing changes', async () => {
    const project = await forge.project({ owner, files: null })
    expect(await put(project, { issues_access_level: 'public' })).toEqual({ error: 'issues_access_level does not have a valid value' })
    expect(await put(project, { forking_access_level: 20 })).toEqual({ error: 'forking_access_level does not have a valid value' })
    const tooOpen = ['cannot have higher visibility level than repository access level']
    const both = { merge_requests_access_level: tooOpen, builds_access_level: tooOpen }
    expect(await put(project, { repository_access_level: 'private' })).toEqual({ message: both })
    expect((await forge.as(owner).post('/projects', { name: 'No code', repository_access_level: 'disabled' })).body).toEqual({
      message: both,
    })
    const off = { repository_access_level: 'disabled', merge_requests_enabled: false, jobs_enabled: false }
    expect(await put(project, off)).toMatchObject({ repository_access_level: 'disabled', builds_access_level: 'disabled' })
    expect(await put(project, { jobs_enabled: true })).toEqual({ message: { builds_access_level: tooOpen } })
  })
})

const code = (project: TestProject) => [
  `/projects/${project.id}/repository/tree`,
  `/projects/${project.id}/repository/branches`,
  `/projects/${project.id}/repository/archive`,
  `/projects/${project.id}/repository/commits/main`,
  `/projects/${project.id}/languages`,
]
const statuses = (project: TestProject, client: Forge['anonymous']) =>
  Promise.all(code(project).map(async (path) => (await client.get(path)).status))
const lsRemote = async (project: TestProject, user?: TestUser) => git(await forge.folder(), 'ls-remote', await forge.remote(project, user))
const restrict = (project: TestProject, level: string) =>
  put(project, { repository_access_level: level, merge_requests_access_level: level, builds_access_level: level })

describe('a repository', () => {
  test('that is private is for members, however open the project', async () => {
    const [guest, stranger] = [await forge.user(), await forge.user()]
    const project = await forge.project({ owner, guest, visibility: 'public' })
    await restrict(project, 'private')
    expect(await statuses(project, forge.anonymous)).toEqual([403, 403, 403, 403, 401])
    expect(await statuses(project, forge.as(stranger))).toEqual(Array(5).fill(403))
    expect(await statuses(project, forge.as(guest))).toEqual(Array(5).fill(200))
    expect((await forge.anonymous.get(`/projects/${project.id}`)).status).toBe(200)
    await expect(lsRemote(project)).rejects.toThrow()
    await expect(lsRemote(project, stranger)).rejects.toThrow()
    await lsRemote(project, guest)
    expect((await forge.as(stranger).post(`/projects/${project.id}/fork`)).status).toBe(403)
    // Code that only members could read must not become public by a fork.
    const fork = await forge.as(guest).post(`/projects/${project.id}/fork`)
    expect([fork.status, fork.body.repository_access_level]).toEqual([201, 'private'])
    await forge.drain()
    const copy = `/projects/${fork.body.id}/repository/tree`
    expect((await forge.as(stranger).get(copy)).status).toBe(403)
    expect((await forge.as(guest).get(copy)).status).toBe(200)
  })

  test('that is disabled is for nobody, not for administrators either, until it is enabled again', async () => {
    const developer = await forge.user()
    const project = await forge.project({ owner, developer, visibility: 'public' })
    await restrict(project, 'disabled')
    for (const user of [owner, developer, forge.root]) {
      expect(await statuses(project, forge.as(user))).toEqual(Array(5).fill(403))
      await expect(lsRemote(project, user)).rejects.toThrow()
    }
    const created = await forge.as(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'new', ref: 'main' })
    expect(created.status).toBe(403)
    const file = { branch: 'main', content: 'x', commit_message: 'x' }
    expect((await forge.as(owner).post(`/projects/${project.id}/repository/files/new`, file)).status).toBe(403)
    expect(await git(project.dir, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    await restrict(project, 'enabled')
    expect(await statuses(project, forge.anonymous)).toEqual(Array(5).fill(200))
    await lsRemote(project)
  })

  test('is forked by those for whom forking is enabled', async () => {
    const [reporter, stranger] = [await forge.user(), await forge.user()]
    const project = await forge.project({ owner, reporter, visibility: 'public' })
    const fork = async (user: TestUser) => (await forge.as(user).post(`/projects/${project.id}/fork`)).status
    await put(project, { forking_access_level: 'private' })
    expect([await fork(stranger), await fork(reporter)]).toEqual([403, 201])
    await put(project, { forking_access_level: 'disabled' })
    expect([await fork(stranger), await fork(owner)]).toEqual([403, 403])
  })
})
