/** Forks: who may make them, that they are whole and for themselves, and what they are called forks of. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, seed, tryGit } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { Upload } from '../../../http/parameters/upload.ts'
import { enqueue } from '../../../queue/queue.ts'
import { acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.service.ts'
import { forkJob } from './forks.jobs.ts'
import { forkProject } from './forks.service.ts'

cpuBudget(11, 'Repositories are forked and packed anew by git.')

/** Forks by the API and waits for the branches; gives the project as its owner sees it. */
async function fork(forge: Forge, user: TestUser, source: { id: number }, body: Record<string, unknown> = {}) {
  const answer = await forge.as(user).post(`/projects/${source.id}/fork`, body)
  // The queue may have it already.
  expect([answer.status, answer.body.import_status]).toEqual([201, expect.stringMatching(/^(scheduled|started|finished)$/)])
  await forge.drain()
  const { body: project } = await forge.as(user).get(`/projects/${answer.body.id}`)
  expect([project.import_status, project.import_error]).toEqual(['finished', null])
  return { ...project, dir: forge.app.git.open(project.id).dir }
}

const refsOf = (dir: string) => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)')

/** How many names on disk the packs of a repository have. */
async function linksOf(dir: string): Promise<number[]> {
  const folder = join(dir, 'objects', 'pack')
  const packs = (await readdir(folder)).filter((name) => name.endsWith('.pack'))
  return Promise.all(packs.map(async (name) => (await stat(join(folder, name))).nlink))
}

test('a fork has the branches, the tags, the default branch and the settings of its source, and says what it is a fork of', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await forge.project({ visibility: 'public', commits: [{ branch: 'trunk', files: { 'README.md': '# Hi\n' } }] })
  await git(source.dir, 'tag', '-m', 'First', 'v1', 'trunk')
  await git(source.dir, 'update-ref', 'refs/merge-requests/1/head', 'trunk')
  await forge.as(forge.root).put(`/projects/${source.id}`, { description: 'The source' })

  const made = await fork(forge, user, source)

  expect(await refsOf(made.dir)).toBe((await refsOf(source.dir)).replace(/^.*refs\/merge-requests.*\n/m, ''))
  expect(await git(made.dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk')
  expect(made).toMatchObject({
    name: source.name,
    path_with_namespace: `${user.username}/${source.path}`,
    description: 'The source',
    visibility: 'public',
    default_branch: 'trunk',
    owner: { id: user.id },
    forked_from_project: { id: source.id },
  })
  expect(made.readme_url).toMatch(/blob\/trunk\/README\.md$/)
  const { body: branch } = await forge.as(user).get(`/projects/${made.id}/repository/branches/trunk`)
  expect(branch.protected).toBe(true)
  expect((await forge.as(user).get(`/projects/${source.id}`)).body.forks_count).toBe(1)
})

test(
  'pushes to one don’t reach the other, and a fork is complete without its source',
  inFullRun('1 s of processor. Each fork has a repository of its own, with the branches of its source, above.'),
  async () => {
    const forge = await testForge()
    const user = await forge.user()
    const source = await forge.project({ visibility: 'public', developer: user })
    const before = await refsOf(source.dir)
    const made = await fork(forge, user, source)
    const work = await forge.folder()
    await git(work, 'clone', '--quiet', await forge.remote(made.path_with_namespace, user), '.')
    await git(work, 'checkout', '--quiet', '-b', 'mine')
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Mine')
    await git(work, 'push', '--quiet', 'origin', 'mine')

    expect(await refsOf(source.dir)).toBe(before)
    expect((await tryGit(source.dir, 'cat-file', '-e', await git(work, 'rev-parse', 'mine'))).code).toBe(1)

    await forge.as(forge.root).delete(`/projects/${source.id}`)
    await forge.drain()
    expect(await git(made.dir, 'fsck', '--full', '--strict')).toBe('')
    const { body } = await forge.as(user).get(`/projects/${made.id}`)
    expect([body.forked_from_project, body.default_branch]).toEqual([undefined, 'main'])
    expect((await forge.as(user).get(`/projects/${made.id}/repository/commits?ref_name=mine`)).body).toHaveLength(2)
  },
)

/** A project whose objects are in one pack. */
async function packed(forge: Forge, options: Parameters<Forge['project']>[0]): Promise<TestProject> {
  const project = await forge.project(options)
  await git(project.dir, 'repack', '-a', '-d', '--quiet')
  return project
}

test('repositories that are equally open share files on disk, and packing one anew leaves the other whole', async () => {
  const forge = await testForge()
  const user = await forge.user()
  for (const visibility of ['public', 'private'] as const) {
    const source = await packed(forge, { visibility, developer: user })
    const made = await fork(forge, user, source)
    expect([visibility, made.visibility, await linksOf(made.dir)]).toEqual([visibility, visibility, [2]])

    await seed(source.dir, [{ branch: 'later', files: { later: 'later' } }])
    await forge.as(forge.root).post(`/projects/${source.id}/housekeeping`)
    await forge.as(user).post(`/projects/${made.id}/housekeeping`)
    await forge.drain()
    await git(source.dir, 'repack', '-a', '-d', '--quiet', '-f')

    for (const { dir } of [source, made]) expect(await git(dir, 'fsck', '--full', '--strict')).toBe('')
    expect((await tryGit(made.dir, 'rev-parse', '--verify', 'later')).code).not.toBe(0)
  }
})

test('a fork less visible than its source shares no files and has no unreachable objects', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const group = await forge.group({ maintainer: user, visibility: 'private' })
  const source = await packed(forge, { visibility: 'public' })
  const hidden = await git(source.dir, 'commit-tree', '-m', 'Hidden', 'main^{tree}')
  await git(source.dir, 'update-ref', 'refs/keep-around/x', hidden)

  const made = await fork(forge, user, source, { namespace: group.full_path })

  expect([made.visibility, await linksOf(made.dir)]).toEqual(['private', [1]])
  expect((await tryGit(made.dir, 'cat-file', '-e', hidden)).code).toBe(1)
  expect(await git(made.dir, 'fsck', '--full', '--strict')).toBe('')
})

test('a fork doesn’t get a restricted visibility', async () => {
  const forge = await testForge()
  const [user, source] = [await forge.user(), await forge.project({ visibility: 'public' })]
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['public'] })
  try {
    expect((await fork(forge, user, source)).visibility).toBe('internal')
  } finally {
    await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: [] })
  }
})

test('an empty project has empty forks, and one whose content is yet to come has none', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await forge.project({ visibility: 'public', files: null })
  expect((await fork(forge, user, source)).default_branch).toBe(null)

  await forge.app.db.updateTable('projects').set({ import_status: 'started' }).where('id', '=', source.id).execute()
  const early = await forge.as(forge.root).post(`/projects/${source.id}/fork`, { path: 'early', name: 'early' })
  expect([early.status, early.body]).toEqual([409, { message: 'The repository of the project is still being imported' }])
})

test('large files of the source are those of the fork too', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await forge.project({ visibility: 'public' })
  const oid = 'a'.repeat(64)
  const at = new Date().toISOString()
  await forge.app.db.insertInto('lfs_objects').values({ oid, size: 7, store_key: 'lfs/none', created_at: at, orphaned_at: null }).execute()
  await forge.app.db.insertInto('lfs_links').values({ project_id: source.id, oid, created_at: at }).execute()

  const made = await fork(forge, user, source)

  const links = await forge.app.db.selectFrom('lfs_links').select('oid').where('project_id', '=', made.id).execute()
  const { body } = await forge.as(user).get(`/projects/${made.id}?statistics=true`)
  expect([links, body.statistics.lfs_objects_size]).toEqual([[{ oid }], 7])
})

test(
  'a fork has the picture of its source, and keeps it when the source goes',
  inFullRun('Half a second of processor. A fork has the settings of its source, above.'),
  async () => {
    const forge = await testForge()
    const user = await forge.user()
    const source = await forge.project({ visibility: 'public' })
    const avatar = await acceptAvatar(forge.app, new Upload('face.png', 'image/png', onePixel))
    await changeAvatar(forge.app.db, null, avatar)
    await forge.app.db
      .updateTable('projects')
      .set({ ...avatar })
      .where('id', '=', source.id)
      .execute()

    const made = await fork(forge, user, source)
    await forge.as(forge.root).delete(`/projects/${source.id}`)
    await forge.drain()

    expect(made.avatar_url).toMatch(new RegExp(`/project/avatar/${made.id}/face\\.png$`))
    const row = await forge.app.db.selectFrom('projects').select('avatar_key').where('id', '=', made.id).executeTakeFirstOrThrow()
    expect(await buffer(await forge.app.store.open(row.avatar_key as string))).toEqual(onePixel)
  },
)

test('a fork whose process died in the middle is finished by the next, and recorded once', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await packed(forge, { visibility: 'public' })
  const made = await fork(forge, user, source)
  const again = async (died: { default_branch?: null }) => {
    await forge.app.db
      .updateTable('projects')
      .set({ import_status: 'started', ...died })
      .where('id', '=', made.id)
      .execute()
    await enqueue(forge.app.db, forkJob, { project_id: made.id, user_id: user.id, source_id: source.id })
    await forge.drain()
    return (await forge.as(user).get(`/projects/${made.id}`)).body
  }
  const whole = { import_status: 'finished', default_branch: 'main' }
  const events = () =>
    forge.app.db.selectFrom('events').select('ref').where('project_id', '=', made.id).where('action', '=', 'pushed').execute()

  // After everything but the last word of it.
  expect(await again({})).toMatchObject(whole)
  expect(await events()).toEqual([{ ref: 'refs/heads/main' }])
  // With its files linked, and no branch yet.
  await git(made.dir, 'update-ref', '-d', 'refs/heads/main')
  expect(await again({ default_branch: null })).toMatchObject(whole)
  // Before it had a repository.
  await rm(made.dir, { recursive: true })
  expect(await again({ default_branch: null })).toMatchObject(whole)
  expect([await git(made.dir, 'fsck', '--full', '--strict'), await refsOf(made.dir)]).toEqual(['', await refsOf(source.dir)])
})

test(
  'a fork that is deleted before its branches come leaves no files, and one whose source is says so',
  inFullRun('1 s of processor. A fork whose process died is finished by the next, below.'),
  async () => {
    const forge = await testForge()
    const user = await forge.user()
    const [source, gone] = [await forge.project({ visibility: 'public' }), await forge.project({ visibility: 'public' })]
    const made = await fork(forge, user, source)
    const orphan = await fork(forge, user, gone)
    await forge.as(user).delete(`/projects/${made.id}`)
    await forge.as(forge.root).delete(`/projects/${gone.id}`)
    await forge.app.db
      .updateTable('projects')
      .set({ import_status: 'scheduled', default_branch: null })
      .where('id', '=', orphan.id)
      .execute()
    for (const { id, from } of [
      { id: made.id, from: source.id },
      { id: orphan.id, from: gone.id },
    ]) {
      await enqueue(forge.app.db, forkJob, { project_id: id, user_id: user.id, source_id: from })
    }
    await forge.drain()

    await expect(stat(made.dir)).rejects.toThrow('ENOENT')
    const { body } = await forge.as(user).get(`/projects/${orphan.id}`)
    expect([body.import_status, body.import_error]).toEqual(['failed', 'The project it is a fork of cannot be read any more'])
  },
)

test('nobody forks a project they may not read, or into a namespace they may not create projects in', async () => {
  const forge = await testForge()
  const [guest, stranger, reporter] = [await forge.user(), await forge.user(), await forge.user()]
  const group = await forge.group({ developer: reporter, visibility: 'public' })
  const source = await forge.project({ guest, reporter })
  const path = `/projects/${source.id}/fork`

  const answers = [
    await forge.anonymous.post(path),
    await forge.as(stranger).post(path),
    await forge.as(guest).post(path),
    await forge.as(reporter).post('/projects/0/fork'),
    await forge.as(reporter).post(path, { namespace: group.full_path }),
    await forge.as(reporter).post(path, { namespace: stranger.username }),
    await forge.as(reporter).post(path, { namespace: '424242' }),
    await forge.as(reporter).post(path, { namespace_id: group.id }),
    await forge.as(reporter).post(path, { namespace_path: group.full_path }),
    await forge.as(reporter).post(path, { namespace_path: String(reporter.id), namespace_id: group.id }),
  ]

  const target = [404, { message: '404 Target Namespace Not Found' }]
  const missing = [404, { message: '404 Project Not Found' }]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [401, { message: '401 Unauthorized' }],
    missing,
    [403, { message: '403 Forbidden' }],
    missing,
    ...[target, target, target, target, target],
    [400, { error: 'namespace, namespace_id, namespace_path are mutually exclusive' }],
  ])
  expect((await forge.as(forge.root).get(`/projects/${source.id}/forks`)).body).toEqual([])
})

test(
  'a fork goes to a namespace by its id or path, under a name and a path of its own if wished',
  inFullRun('1 s of processor. `edit.test.ts` of the pages of projects makes a fork in a namespace of one’s own.'),
  async () => {
    const forge = await testForge()
    const user = await forge.user()
    const group = await forge.group({ owner: user, visibility: 'public' })
    const below = await forge.group({ owner: user, parent: group, visibility: 'public' })
    const source = await forge.project({ visibility: 'internal' })

    const first = await fork(forge, user, source, { namespace_id: group.id })
    const second = await fork(forge, user, source, { namespace_path: below.full_path, name: 'Other', path: 'other' })
    const other = await fork(forge, forge.root, source, { namespace: user.username })

    expect(first.path_with_namespace).toBe(`${group.full_path}/${source.path}`)
    expect([second.path_with_namespace, second.name]).toEqual([`${below.full_path}/other`, 'Other'])
    expect(other.owner.id).toBe(user.id)
    expect((await forge.as(user).get(`/projects/${source.id}`)).body.forks_count).toBe(3)
  },
)

test('of ten forks into one namespace at once one is made, and the others are refused with 409', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await forge.project({ visibility: 'public' })
  const again = () => forge.as(user).post(`/projects/${source.id}/fork`)

  const answers = await Promise.all(Array.from({ length: 10 }, again))

  const said = ['has already been taken']
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  for (const { status, body } of answers) if (status === 409) expect(body).toEqual({ message: { name: said, path: said } })
  expect((await forge.as(user).get(`/projects/${source.id}`)).body.forks_count).toBe(1)
})

test('a user at the projects limit gets 409, and a malformed name is rejected', async () => {
  const forge = await testForge()
  const user = await forge.user({ projects_limit: 0 })
  const source = await forge.project({ visibility: 'public' })
  const group = await forge.group({ owner: user, visibility: 'public' })

  const full = await forge.as(user).post(`/projects/${source.id}/fork`)
  const odd = await forge.as(user).post(`/projects/${source.id}/fork`, { namespace: group.full_path, path: '../x' })

  expect([full.status, Object.keys(full.body.message)]).toEqual([409, ['limit_reached']])
  expect([odd.status, Object.keys(odd.body.message)]).toEqual([409, ['path']])
  expect((await forge.as(user).get(`/projects/${source.id}`)).body.forks_count).toBe(0)
})

test('forks that are made and removed at once leave the right number', async () => {
  const forge = await testForge()
  const source = await forge.project({ visibility: 'public' })
  const users = await Promise.all(Array.from({ length: 6 }, () => forge.user()))
  const make = async (user: TestUser) => (await forge.as(user).post(`/projects/${source.id}/fork`)).body.id as number
  const first = await Promise.all(users.slice(0, 3).map(make))

  await Promise.all([...users.slice(3).map(make), ...first.map((id) => forge.as(forge.root).delete(`/projects/${id}`))])

  expect((await forge.as(forge.root).get(`/projects/${source.id}`)).body.forks_count).toBe(3)
})

test(
  'the list of forks shows what the caller can see, and takes the filters of every list of projects',
  inFullRun('1 s of processor. `lists.test.ts` has the filters of every list of projects.'),
  async () => {
    const forge = await testForge()
    const [user, stranger] = [await forge.user(), await forge.user()]
    const group = await forge.group({ owner: user, visibility: 'private' })
    const source = await forge.project({ visibility: 'public' })
    const hidden = await fork(forge, user, source, { namespace: group.id })
    const open = await fork(forge, stranger, source)
    const listed = async (who: TestUser, query = '') =>
      (await forge.as(who).get(`/projects/${source.id}/forks?${query}`)).body.map(({ id }: { id: number }) => id)

    expect(await listed(user)).toEqual([open.id, hidden.id])
    expect(await listed(stranger)).toEqual([open.id])
    expect(await listed(user, 'owned=true')).toEqual([hidden.id])
    const simple = (await forge.anonymous.get(`/projects/${source.id}/forks`)).body
    expect([simple.length, simple[0].id, simple[0].visibility]).toEqual([1, open.id, undefined])
  },
)

test('a fork is told of its source only where the caller can see that', async () => {
  const forge = await testForge()
  const [developer, stranger] = [await forge.user(), await forge.user()]
  const source = await forge.project({ developer })
  const made = await fork(forge, developer, source)
  await forge.as(developer).post(`/projects/${made.id}/members`, { user_id: stranger.id, access_level: 30 })

  expect((await forge.as(developer).get(`/projects/${made.id}`)).body.forked_from_project.id).toBe(source.id)
  expect((await forge.as(stranger).get(`/projects/${made.id}`)).body.forked_from_project).toBeUndefined()
})

test('owners create and remove a fork relation', async () => {
  const forge = await testForge()
  const [owner, maintainer] = [await forge.user(), await forge.user()]
  const [source, other, secret] = [
    await forge.project({ visibility: 'public' }),
    await forge.project({ visibility: 'public' }),
    await forge.project(),
  ]
  const project = await forge.project({ owner, maintainer })
  const relate = (user: TestUser, from: number | string) => forge.as(user).post(`/projects/${project.id}/fork/${encodeURIComponent(from)}`)
  const count = async (id: number) => (await forge.as(forge.root).get(`/projects/${id}`)).body.forks_count

  expect((await relate(maintainer, source.id)).status).toBe(403)
  expect([(await relate(owner, secret.id)).status, (await relate(owner, 424242)).status]).toEqual([404, 404])
  expect((await relate(owner, project.id)).body).toEqual({ message: { forked_from_project_id: ['is invalid'] } })
  const made = await relate(owner, source.full_path)
  expect([made.status, made.body.forked_from_project.id, await count(source.id)]).toEqual([201, source.id, 1])
  const again = await relate(owner, other.id)
  expect([again.status, again.body, await count(other.id)]).toEqual([409, { message: 'Project already forked' }, 0])
  const circle = await forge.as(forge.root).post(`/projects/${source.id}/fork/${project.id}`)
  expect([circle.status, circle.body]).toEqual([400, { message: { forked_from_project_id: ['is invalid'] } }])

  const end = (user: TestUser) => forge.as(user).delete(`/projects/${project.id}/fork`)
  expect((await end(maintainer)).status).toBe(403)
  expect([(await end(forge.root)).status, await count(source.id)]).toEqual([204, 0])
  expect([(await end(forge.root)).status, (await end(forge.root)).text]).toEqual([304, ''])
})

test('nothing is pushed to a fork before its branches are there', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await forge.project({ visibility: 'public' })
  const made = await forkProject(forge.app, user, { project: source, level: 0 }, {})
  const write = () =>
    forge
      .as(user)
      .post(`/projects/${made.id}/repository/files/x`, { branch: 'mine', start_branch: 'main', content: 'x', commit_message: 'X' })

  // The queue may be quicker than this test: what the row says then is put back.
  await forge.drain()
  await forge.app.db.updateTable('projects').set({ import_status: 'scheduled' }).where('id', '=', made.id).execute()
  expect((await write()).status).toBe(403)
  await forge.app.db.updateTable('projects').set({ import_status: 'finished' }).where('id', '=', made.id).execute()
  expect((await write()).status).toBe(201)
})

/** Runs the job that copies the branches of a fork as if it had been queued until now. */
async function copyNow(forge: Forge, user: TestUser, made: { id: number }, source: { id: number }) {
  const { dir } = forge.app.git.open(made.id)
  await git(dir, 'update-ref', '-d', 'refs/heads/main')
  await forge.app.db.updateTable('projects').set({ import_status: 'scheduled', default_branch: null }).where('id', '=', made.id).execute()
  await enqueue(forge.app.db, forkJob, { project_id: made.id, user_id: user.id, source_id: source.id })
  await forge.drain()
  const { body } = await forge.as(forge.root).get(`/projects/${made.id}`)
  return [body.import_status, body.import_error, await refsOf(dir)]
}

test('branches are not copied when the user can no longer read the source by the time the job runs, or is blocked', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const source = await forge.project({ reporter: user })
  const made = await fork(forge, user, source)
  const root = forge.as(forge.root)
  const refused = ['failed', 'The project it is a fork of cannot be read any more', '']
  await root.post(`/users/${user.id}/block`)
  expect(await copyNow(forge, user, made, source)).toEqual(refused)
  await root.post(`/users/${user.id}/unblock`)
  await root.delete(`/projects/${source.id}/members/${user.id}`)
  expect(await copyNow(forge, user, made, source)).toEqual(refused)
})

test(
  'a source made private meanwhile is not copied once the relation is removed',
  inFullRun('Half a second of processor. Branches are not copied when the user can no longer read the source, above.'),
  async () => {
    const forge = await testForge()
    const user = await forge.user()
    const source = await forge.project({ visibility: 'public', reporter: user })
    const made = await fork(forge, user, source)
    await forge.as(user).delete(`/projects/${made.id}/fork`)
    await forge.as(forge.root).put(`/projects/${source.id}`, { visibility: 'private' })

    expect(await copyNow(forge, user, made, source)).toEqual(['failed', 'The fork is more open than what it is made of', ''])
  },
)

test('of two opposite relations at once one is created, and many form no cycle', async () => {
  const forge = await testForge()
  const as = forge.as(forge.root)
  const relate = async (id = 0, from = 0) => (await as.post(`/projects/${id}/fork/${from}`)).status
  for (let round = 0; round < 4; round += 1) {
    const [a, b, c, d] = await Promise.all(Array.from({ length: 4 }, async () => (await forge.project({ files: null })).id))

    expect((await Promise.all([relate(a, b), relate(b, a)])).sort()).toEqual([201, 400])
    expect(await relate(c, d)).toBe(201)
    await Promise.all([as.delete(`/projects/${a}/fork`), as.delete(`/projects/${b}/fork`)])
    expect(await relate(a, b)).toBe(201)
    expect((await Promise.all([relate(b, c), relate(d, a)])).sort()).toEqual([201, 400])
  }
})

test('groups that hold forks of one another can be deleted at once, and no fork is counted that is gone', async () => {
  const forge = await testForge()
  const as = forge.as(forge.root)
  const source = await forge.project({ files: null })
  const groups = await Promise.all(Array.from({ length: 4 }, () => forge.group()))
  const own = await Promise.all(groups.map((group) => forge.project({ group, files: null })))
  for (const [index, group] of groups.entries()) {
    for (const from of [...own.filter((_, other) => other !== index), source]) {
      const { id } = await forge.project({ group, files: null })
      expect((await as.post(`/projects/${id}/fork/${from.id}`)).status).toBe(201)
    }
  }

  const deleted = await Promise.all(groups.map(({ id }) => as.delete(`/groups/${id}`)))

  expect(deleted.map(({ status }) => status)).toEqual(Array(4).fill(deleted[0]?.status))
  expect(deleted[0]?.status).toBeLessThan(300)
  expect((await as.get(`/projects/${source.id}`)).body.forks_count).toBe(0)
})

test('a fork relation can’t narrow the visibility of other people’s projects', async () => {
  const forge = await testForge()
  const [owner, maintainer] = [await forge.user(), await forge.user()]
  const victim = await forge.project({ owner, maintainer, visibility: 'public' })
  const [trap, open] = [await forge.project({ owner: maintainer }), await forge.project({ owner: maintainer, visibility: 'public' })]
  await forge.as(maintainer).post(`/projects/${trap.id}/members`, { user_id: owner.id, access_level: 40 })
  const seen = async () => (await forge.as(owner).get(`/projects/${victim.id}`)).body.visibility

  // Maintainers can't add a fork relation, however open the other project is.
  for (const { id } of [trap, open]) expect((await forge.as(maintainer).post(`/projects/${victim.id}/fork/${id}`)).status).toBe(403)
  await forge.as(maintainer).put(`/projects/${open.id}`, { visibility: 'private' })
  expect(await seen()).toBe('public')

  // And its owner makes it less open first.
  const refused = await forge.as(owner).post(`/projects/${victim.id}/fork/${trap.id}`)
  const said = 'public is not allowed since the fork source project has lower visibility.'
  expect([refused.status, refused.body, await seen()]).toEqual([400, { message: { visibility_level: [said] } }, 'public'])
  await forge.as(owner).put(`/projects/${victim.id}`, { visibility: 'private' })
  expect((await forge.as(owner).post(`/projects/${victim.id}/fork/${trap.id}`)).status).toBe(201)
})

test('a relation created while its source is narrowed leaves no fork more visible than its source', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const as = forge.as(owner)
  for (let round = 0; round < 5; round += 1) {
    const [source, project] = [
      await forge.project({ owner, visibility: 'public', files: null }),
      await forge.project({ owner, visibility: 'public', files: null }),
    ]
    await Promise.all([as.post(`/projects/${project.id}/fork/${source.id}`), as.put(`/projects/${source.id}`, { visibility: 'private' })])
    const { body } = await as.get(`/projects/${project.id}`)
    expect([body.forked_from_project === undefined, body.visibility]).toEqual(
      body.forked_from_project === undefined ? [true, 'public'] : [false, 'private'],
    )
  }
})

test('narrowing a source costs the same statements for any number of forks', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const as = forge.as(owner)
  const familyOf = async (size: number) => {
    const projects = await Promise.all(Array.from({ length: size }, () => forge.project({ owner, visibility: 'public', files: null })))
    for (const [index, { id }] of projects.entries()) if (index > 0) await as.post(`/projects/${id}/fork/${projects[index - 1]?.id}`)
    return projects
  }
  const [small, large] = [await familyOf(2), await familyOf(7)]
  const close = (family: TestProject[]) => forge.cost(() => as.put(`/projects/${family[0]?.id}`, { visibility: 'private' }))

  const [few, many] = [await close(small), await close(large)]

  expect(many.statements).toBe(few.statements)
  const seen = await Promise.all(large.map(async ({ id }) => (await as.get(`/projects/${id}`)).body.visibility))
  expect(seen).toEqual(Array(7).fill('private'))
})
