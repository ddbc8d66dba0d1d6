/** Clones that were made before a project was renamed or moved go on working, and what stands at an old path is never somebody else's. */
import { expect, test } from 'vitest'
import { type TestProject, testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../../support/ssh.ts'
import { clone, commit } from './wire.ts'

const pathOf = async ({ id }: TestProject) => {
  const forge = await testForge()
  const { body } = await forge.as(forge.root).get(`/projects/${id}`)
  return body.path_with_namespace as string
}

test('a clone pulls and pushes after its project was renamed, moved, and its group renamed; no project is made in its place', async () => {
  const forge = await testForge()
  const [from, to, maintainer] = [await forge.group(), await forge.group(), await forge.user()]
  const project = await forge.project({ group: from, maintainer, visibility: 'private' })
  const dir = await clone(await forge.remote(project, maintainer))
  const count = async () => (await forge.as(forge.root).get('/projects?simple=true')).headers['x-total']
  const before = await count()
  const moves = [
    () => forge.as(forge.root).put(`/projects/${project.id}`, { path: 'renamed' }),
    () => forge.as(forge.root).post(`/groups/${to.id}/projects/${project.id}`),
    () => forge.as(forge.root).put(`/groups/${to.id}`, { path: `${to.path}-renamed` }),
  ]
  for (const move of moves) {
    expect((await move()).status).toBeLessThan(300)
    const pulled = await tryGit(dir, 'pull', 'origin', 'main')
    expect([pulled.code, pulled.stderr]).toEqual([
      0,
      expect.stringContaining(`redirecting to ${await forge.url()}/${await pathOf(project)}.git`),
    ])
    const head = await commit(dir, { 'a.txt': await pathOf(project) })
    await git(dir, 'push', '--quiet', 'origin', 'main')
    expect(await git(project.dir, 'rev-parse', 'main')).toBe(head)
  }
  expect(await count()).toBe(before)
  expect((await forge.as(forge.root).get(`/projects/${encodeURIComponent(project.full_path)}`)).status).toBe(404)
})

test.skipIf(!hasSsh)('over SSH the user sees the new address of a moved project', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const project = await forge.project({ path: 'by-ssh' })
  const key = await keyOf(forge.root)
  await forge.as(forge.root).put(`/projects/${project.id}`, { path: 'by-ssh-renamed' })
  const { code, stderr } = await tryGit(await forge.folder(), ...withKey(key), 'clone', host.remote(project), '.')
  expect([code, stderr]).toEqual([0, expect.stringContaining('git remote set-url origin git@gitstead.test:root/by-ssh-renamed.git')])
})

test('an old path is hidden from whoever may not see its project', async () => {
  const forge = await testForge()
  const [project, stranger] = [await forge.project({ visibility: 'private' }), await forge.user()]
  await forge.as(forge.root).put(`/projects/${project.id}`, { path: `${project.path}-renamed` })
  const [old, unknown] = await Promise.all(
    [project.full_path, `${project.full_path}-never`].map(async (path) => {
      const { code, stderr } = await tryGit(await forge.folder(), 'ls-remote', await forge.remote(path, stranger))
      return [code, stderr.replaceAll(path, 'PATH')]
    }),
  )
  expect(old).toEqual(unknown)
  expect(old).toEqual([128, expect.stringContaining('could not be found')])
})

test('a push to an old path creates no project, even if the user may create one and can’t see the moved one', async () => {
  const forge = await testForge()
  const [group, maintainer] = [await forge.group(), await forge.user()]
  await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: maintainer.id, access_level: 40 })
  const project = await forge.project({ group, visibility: 'private' })
  const dir = await clone(await forge.remote(project, maintainer))
  await forge.as(forge.root).post(`/groups/${(await forge.group()).id}/projects/${project.id}`)
  const pushed = await tryGit(dir, 'push', 'origin', 'main')
  expect([pushed.code, pushed.stderr]).toEqual([128, expect.stringContaining('could not be found')])
  const { code } = await tryGit(await forge.folder(), 'ls-remote', await forge.remote(project, forge.root))
  expect([code, await pathOf(project)]).toEqual([0, expect.stringMatching(`/${project.path}$`)])
  const made = await forge.as(forge.root).get(`/projects/${encodeURIComponent(project.full_path)}`)
  expect(made.status).toBe(404)
})

test(
  'a new project or group takes over an old path with all below it, and the moved one stays where it is',
  inFullRun('1 s of processor. A clone follows its project to a new path, above.'),
  async () => {
    const forge = await testForge()
    const owner = forge.as(forge.root)
    const group = await forge.group({ path: 'team' })
    const [beside, like] = [await forge.group({ path: 'team-b' }), await forge.group({ path: 'team0' })]
    const projects = await Promise.all([group, beside, like].map((place) => forge.project({ group: place, path: 'app' })))
    for (const { id, path } of [group, beside, like]) await owner.put(`/groups/${id}`, { path: `new-${path}` })
    const leads = async (path: string) => (await tryGit(await forge.folder(), 'ls-remote', await forge.remote(path, forge.root))).code === 0
    const all = () => Promise.all(['team/app', 'team-b/app', 'team0/app', 'new-team/app'].map(leads))
    expect(await all()).toEqual([true, true, true, true])

    await forge.group({ path: 'Team' })
    expect(await all()).toEqual([false, true, true, true])
    const back = await owner.put(`/groups/${beside.id}`, { path: 'team-b' })
    expect([back.status, await pathOf(projects[1] as TestProject)]).toEqual([200, 'team-b/app'])
    expect(await forge.app.db.selectFrom('redirects').select('path_key').where('path_key', 'like', '%team-b/app').execute()).toEqual([
      { path_key: 'new-team-b/app' },
    ])
    await owner.delete(`/projects/${projects[2]?.id}`)
    await forge.drain()
    expect(await all()).toEqual([false, true, false, true])
  },
)
