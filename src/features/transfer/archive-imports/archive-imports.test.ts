import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportOf, importOf, sendArchive, withoutQueue } from '../../../../test/support/fixtures/archives.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, openForge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { readArchive } from '../archive/read-archive.ts'
import { importArchiveJob } from './archive-imports.jobs.ts'
import { restoreRows } from './restore.rows.ts'
import { restore } from './restore.service.ts'

cpuBudget(13, 'Each test makes an archive and imports it.')

function importRow({ app }: Forge, id: number) {
  return app.db.selectFrom('project_imports').selectAll().where('project_id', '=', id).executeTakeFirstOrThrow()
}

async function statusOf(forge: Forge, user: TestUser, id: number): Promise<string> {
  return (await forge.as(user).get(`/projects/${id}/import`)).body.import_status
}

async function archivesToRemove({ app }: Forge): Promise<string[]> {
  const rows = await app.db.selectFrom('unreferenced_objects').select('key').where('key', 'like', 'imports/%').execute()
  return rows.map(({ key }) => key)
}

async function archivesLeft({ app }: Forge): Promise<number> {
  const { count } = await app.db
    .selectFrom('project_imports')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

test('an import is scheduled under the path it is given, private and empty until it is finished', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const other = await forge.user()
  const project = await forge.project({ owner, visibility: 'public', name: 'Public one' })
  const archive = await exportOf(forge, owner, project)
  const group = await forge.group({ maintainer: owner, visibility: 'public' })

  const { sent, early } = await withoutQueue(forge, async () => {
    const sent = await sendArchive(forge, owner, archive, { path: 'new-one', namespace: group.full_path })
    return { sent, early: await forge.as(other).get(`/projects/${sent.body.id}`) }
  })
  await forge.drain()
  const late = await forge.as(other).get(`/projects/${sent.body.id}`)

  expect([sent.status, sent.body]).toEqual([
    201,
    {
      id: expect.any(Number),
      description: null,
      name: 'new-one',
      name_with_namespace: `${group.name} / new-one`,
      path: 'new-one',
      path_with_namespace: `${group.full_path}/new-one`,
      created_at: expect.any(String),
      import_status: 'scheduled',
    },
  ])
  expect([early.status, late.status]).toEqual([404, 200])
  expect([late.body.name, late.body.path, late.body.visibility, late.body.import_status]).toEqual([
    'Public one',
    'new-one',
    'public',
    'finished',
  ])
  expect(await archivesLeft(forge)).toBe(0)
})

test(
  'a path that is taken is refused, also where ten ask for it at once: one wins',
  inFullRun('Half a second of processor. An invalid path is rejected above; `state.test.ts` has ten race for one path.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const project = await forge.project({ owner })
    const archive = await exportOf(forge, owner, project)

    const taken = await sendArchive(forge, owner, archive, { path: project.path })
    const race = await Promise.all(Array.from({ length: 10 }, () => sendArchive(forge, owner, archive, { path: 'wanted' })))
    await forge.drain()

    expect([taken.status, taken.body]).toEqual([400, { message: 'Name has already been taken' }])
    expect(race.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)])
    expect(race.find(({ status }) => status === 400)?.body).toEqual({ message: 'Name has already been taken' })
    const won = race.find(({ status }) => status === 201)?.body
    expect((await forge.as(owner).get(`/projects/${won.id}/import`)).body.import_status).toBe('finished')
  },
)

test('the new project takes the place of the old one only where its owner wants that', async () => {
  const forge = await testForge()
  const [owner, maintainer] = [await forge.user(), await forge.user()]
  const old = await forge.project({ owner, maintainer, files: { old: 'old' } })
  const archive = await exportOf(forge, owner, await forge.project({ owner, files: { fresh: 'new' } }))
  const namespace = owner.username

  const group = await forge.group({ maintainer })
  const held = await forge.project({ group })
  const refused = await sendArchive(forge, maintainer, archive, { path: held.path, namespace: group.full_path, overwrite: 'true' })
  const stranger = await sendArchive(forge, maintainer, archive, { path: old.path, namespace, overwrite: 'true' })
  const { sent, during } = await withoutQueue(forge, async () => {
    const sent = await sendArchive(forge, owner, archive, { path: old.path, overwrite: 'true' })
    return { sent, during: await forge.as(owner).get(`/projects/${encodeURIComponent(old.full_path)}`) }
  })
  await forge.drain()
  const after = await forge.as(owner).get(`/projects/${encodeURIComponent(old.full_path)}`)

  expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
  expect([stranger.status, stranger.body]).toEqual([404, { message: '404 Namespace Not Found' }])
  expect([sent.status, during.body.id]).toEqual([201, old.id])
  expect([after.body.id, after.body.path, after.body.import_status]).toEqual([sent.body.id, old.path, 'finished'])
  expect((await forge.as(owner).get(`/projects/${old.id}`)).status).toBe(404)
  expect(await git(forge.app.git.open(sent.body.id).dir, 'ls-tree', '--name-only', 'main')).toBe('fresh')
})

test(
  'settings that are sent along count instead of those of the archive',
  inFullRun('Half a second of processor. `round-trip.test.ts` switches off what the importer wants off.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const archive = await exportOf(forge, owner, await forge.project({ owner, visibility: 'public' }))

    const made = await importOf(forge, owner, archive, {
      'override_params[description]': 'Mine',
      'override_params[visibility]': 'internal',
      'override_params[wiki_enabled]': 'false',
      'override_params[public_builds]': 'false',
      'override_params[not_allowed]': 'x',
    })

    const { body } = await forge.as(owner).get(`/projects/${made.id}`)
    const { description, visibility, wiki_enabled, issues_enabled, public_jobs } = body
    expect([description, visibility, wiki_enabled, issues_enabled, public_jobs]).toEqual(['Mine', 'internal', false, true, false])
  },
)

test(
  'an imported project is no more open than its group',
  inFullRun('Half a second of processor. `forks.test.ts` and `state.test.ts` have the visibility of a group as the bound.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const archive = await exportOf(forge, owner, await forge.project({ owner, visibility: 'public' }))
    const group = await forge.group({ owner, visibility: 'internal' })

    const made = await importOf(forge, owner, archive, { namespace: String(group.id) })

    expect((await forge.as(owner).get(`/projects/${made.id}`)).body.visibility).toBe('internal')
  },
)

test('an invalid file, path or namespace is rejected, and nothing is created', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const group = await forge.group({ developer: user })
  const hidden = await forge.group()
  const archive = Buffer.from('anything')
  const count = () =>
    forge.app.db
      .selectFrom('projects')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  const before = await count()
  const as = forge.as(user)

  const json = await as.post('/projects/import', { path: 'a', file: { filename: 'a', content: {} } })
  const text = await as.post('/projects/import', { path: 'a', file: './random/test' })
  const none = await as.post('/projects/import', { path: 'a' })
  const pathless = await sendArchive(forge, user, archive, {})
  const nowhere = await sendArchive(forge, user, archive, { path: 'a', namespace: 'nonexistent' })
  const unseen = await sendArchive(forge, user, archive, { path: 'a', namespace: hidden.full_path })
  const below = await sendArchive(forge, user, archive, { path: 'a', namespace: group.full_path })
  const odd = await sendArchive(forge, user, archive, { path: '../up' })
  const unnamed = await forge.anonymous.post('/projects/import', { path: 'a' })

  expect([json.status, json.body]).toEqual([400, { error: 'file is invalid' }])
  expect([text.status, text.body]).toEqual([400, { error: 'file is invalid' }])
  expect([none.status, none.body]).toEqual([400, { error: 'file is missing' }])
  expect([pathless.status, pathless.body]).toEqual([400, { error: 'path is missing' }])
  expect([nowhere.status, nowhere.body]).toEqual([404, { message: '404 Namespace Not Found' }])
  expect([unseen.status, unseen.body]).toEqual([404, { message: '404 Namespace Not Found' }])
  expect([below.status, below.body]).toEqual([400, { message: 'Namespace is not valid' }])
  expect([odd.status, odd.body.message]).toEqual([400, expect.stringMatching(/^Path can contain only letters/)])
  expect(unnamed.status).toBe(401)
  expect(await count()).toEqual(before)
  expect(await readdir(join(forge.app.config.home, 'objects', '.drafts')).catch(() => [])).toEqual([])
})

test('an import that was interrupted is done again from the beginning, and comes out the same', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner })
  await forge.as(owner).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Once' })
  const archive = await exportOf(forge, owner, project)

  const { id, between } = await withoutQueue(forge, async () => {
    const { id } = (await sendArchive(forge, owner, archive, { path: 'again' })).body
    // As if the process had ended just before the last transaction.
    const { store_key } = await importRow(forge, id)
    const unpacked = await readArchive(forge.app, id, await forge.app.store.open(store_key))
    const people = { userOf: () => null, nameToNote: () => 'nobody' }
    await restoreRows({
      app: forge.app,
      project_id: id,
      importer: owner,
      unpacked,
      people,
      secrets: new Map(),
      pipelines: new Map(),
      planning: new Map(),
    })
    await unpacked.close()
    const ending = AbortSignal.abort(new Error('the process ends'))
    await expect(importArchiveJob.handle(forge.app, { project_id: id }, ending)).rejects.toThrow('the process ends')
    return { id, between: { ...(await importRow(forge, id)), status: await statusOf(forge, owner, id) } }
  })
  await forge.drain()
  await importArchiveJob.handle(forge.app, { project_id: id })

  expect([between.status, between.attempts]).toEqual(['started', 0])
  expect(await statusOf(forge, owner, id)).toBe('finished')
  expect(await forge.app.db.selectFrom('notes').select('body as note').where('project_id', '=', id).execute()).toEqual([{ note: 'Once' }])
})

test('an import whose process ended four times fails with the reason', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const archive = await exportOf(forge, owner, await forge.project({ owner }))

  const { id, key } = await withoutQueue(forge, async () => {
    const { id } = (await sendArchive(forge, owner, archive, { path: 'never' })).body
    await forge.app.db.updateTable('project_imports').set({ attempts: 4 }).where('project_id', '=', id).execute()
    const key = (await importRow(forge, id)).store_key
    await importArchiveJob.handle(forge.app, { project_id: id })
    return { id, key }
  })

  const { body } = await forge.as(owner).get(`/projects/${id}/import`)
  expect([body.import_status, body.import_error]).toEqual(['failed', 'The import failed on the server. Its log tells why.'])
  expect(await archivesToRemove(forge)).toContain(key)
})

test('the archive goes with a project that is deleted before it is made', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const archive = await exportOf(forge, owner, await forge.project({ owner }))

  const key = await withoutQueue(forge, async () => {
    const { id } = (await sendArchive(forge, owner, archive, { path: 'short' })).body
    const { store_key } = await importRow(forge, id)
    await forge.as(owner).delete(`/projects/${id}`)
    return store_key
  })

  expect(await archivesToRemove(forge)).toContain(key)
  await forge.drain()
  expect(await archivesLeft(forge)).toBe(0)
})

test('contributions keep their members as authors when an administrator imports', async () => {
  const forge = await testForge()
  const [owner, developer] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer })
  await forge.as(developer).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Mine' })
  const archive = await exportOf(forge, owner, project)
  const author = async (id: number) =>
    forge.app.db.selectFrom('notes').select(['author_id', 'body as note']).where('project_id', '=', id).execute()

  const vouched = await importOf(forge, forge.root, archive)

  expect(await author(vouched.id)).toEqual([{ author_id: developer.id, note: 'Mine' }])
})

test('where the instance allows no such imports there are none', async () => {
  const forge = await openForge()
  const project = await forge.project()
  await writeSettings(forge.app.db, { import_sources: ['git'] })

  const refused = await sendArchive(forge, forge.root, Buffer.from('x'), { path: 'a' })
  const status = await forge.as(forge.root).get(`/projects/${project.id}/import`)

  expect([refused.status, refused.body, status.status]).toEqual([403, { message: '403 Forbidden' }, 403])
})

test(
  'an overtaken run of an import leaves the project as it is',
  inFullRun('Half a second of processor. An import that was interrupted is done again, above; `fill.test.ts` has overtaken runs.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const project = await forge.project({ owner })
    await forge.as(owner).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Fine' })
    const archive = await exportOf(forge, owner, project)
    const { sent, job } = await withoutQueue(forge, async () => {
      const sent = await sendArchive(forge, owner, archive, { path: 'overtaken' })
      return { sent, job: await importRow(forge, sent.body.id) }
    })
    const comments = () => forge.app.db.selectFrom('notes').select('id').where('project_id', '=', sent.body.id).execute()
    await forge.drain()
    const before = await comments()
    const { dir } = forge.app.git.open(sent.body.id)
    const ours = await git(dir, 'commit-tree', '-m', 'Ours', 'main^{tree}')
    await git(dir, 'update-ref', 'refs/heads/main', ours)

    await expect(restore(forge.app, job, owner)).rejects.toThrow('the import has come to its end meanwhile')

    expect([before.length, await comments(), await git(dir, 'rev-parse', 'main')]).toEqual([1, before, ours])
  },
)

test('only maintainers see why an import failed', async () => {
  const forge = await testForge()
  const [maintainer, developer] = [await forge.user(), await forge.user()]
  const project = await forge.project({ maintainer, developer, visibility: 'public', files: null })
  const failed = { import_status: 'failed' as const, import_error: 'The host internal.example could not be found' }
  await forge.app.db.updateTable('projects').set(failed).where('id', '=', project.id).execute()
  const told = async (client: Forge['anonymous']) => {
    const { body } = await client.get(`/projects/${project.id}/import`)
    return [body.import_status, body.import_error]
  }

  expect(await told(forge.as(maintainer))).toEqual(['failed', 'The host internal.example could not be found'])
  expect([await told(forge.as(developer)), await told(forge.anonymous)]).toEqual([
    ['failed', undefined],
    ['failed', undefined],
  ])
})

test(
  'members, groups, stars, deploy keys, forks and proposals pass on to the replacing project',
  inFullRun('Half a second of processor. The new project takes the place of the old one in the test above.'),
  async () => {
    const forge = await testForge()
    const [owner, developer, forker, star] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
    const above = await forge.project({ owner, visibility: 'internal' })
    const [old, fresh] = [
      await forge.project({ owner, developer, visibility: 'internal' }),
      await forge.project({ owner, visibility: 'public' }),
    ]
    const group = await forge.group({ visibility: 'public' })
    const as = forge.as(owner)
    await as.post(`/projects/${old.id}/fork/${above.id}`)
    const fork = await forge.project({ owner: forker, visibility: 'internal' })
    await forge.as(forker).post(`/projects/${fork.id}/fork/${old.id}`)
    await forge.as(forge.root).post(`/projects/${old.id}/share`, { group_id: group.id, group_access: 30 })
    await forge.as(star).post(`/projects/${old.id}/star`)
    await as.post(`/projects/${old.id}/deploy_keys`, { title: 'Deployer', key: publicKey() })
    const proposed = await forge.mergeRequest(above, owner, { source_branch: 'main', source_project_id: old.id })

    const made = await importOf(forge, owner, await exportOf(forge, owner, fresh), { path: old.path, overwrite: 'true' })

    const { body } = await as.get(`/projects/${made.id}`)
    expect([made.import_status, body.path, body.visibility, body.star_count, body.forks_count]).toEqual([
      'finished',
      old.path,
      'internal',
      1,
      1,
    ])
    expect(body.forked_from_project.id).toBe(above.id)
    const requests = forge.app.db.selectFrom('merge_requests').selectAll().where('id', '=', proposed.id)
    const { state, source_project_id } = await requests.executeTakeFirstOrThrow()
    expect([state, source_project_id]).toEqual(['opened', made.id])
    expect(body.shared_with_groups.map(({ group_id }: { group_id: number }) => group_id)).toEqual([group.id])
    expect((await as.get(`/projects/${above.id}`)).body.forks_count).toBe(1)
    expect((await forge.as(forker).get(`/projects/${fork.id}`)).body.forked_from_project.id).toBe(made.id)
    const { body: members } = await as.get(`/projects/${made.id}/members`)
    expect(members.map(({ id, access_level }: { id: number; access_level: number }) => [id, access_level])).toEqual([
      [developer.id, 30],
      [owner.id, 40],
    ])
    expect((await as.get(`/projects/${made.id}/deploy_keys`)).body.map(({ title }: { title: string }) => title)).toEqual(['Deployer'])
  },
)

test(
  'a project created while an archive was read is not replaced',
  inFullRun('Half a second of processor. A path that is taken is refused, above.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const old = await forge.project({ owner })
    const archive = await exportOf(forge, owner, old)

    const { sent, later } = await withoutQueue(forge, async () => {
      const sent = await sendArchive(forge, owner, archive, { path: old.path, overwrite: 'true' })
      await forge.as(owner).delete(`/projects/${old.id}`)
      return { sent, later: await forge.as(owner).post('/projects', { path: old.path, name: 'Made later' }) }
    })
    await forge.drain()

    const { body } = await forge.as(owner).get(`/projects/${sent.body.id}/import`)
    expect([body.import_status, body.import_error]).toEqual(['failed', 'Another project has taken the path or the name meanwhile.'])
    const { body: there } = await forge.as(owner).get(`/projects/${encodeURIComponent(old.full_path)}`)
    expect([there.id, there.name]).toEqual([later.body.id, 'Made later'])
  },
)
