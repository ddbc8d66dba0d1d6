import { expect, test } from 'vitest'
import { archiveOf, exportOf, filesIn, importOf } from '../../../../test/support/fixtures/archives.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { lfsClient, uniqueFile } from '../../../../test/support/fixtures/lfs.ts'
import { tokenOf } from '../../../../test/support/fixtures/runners.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import type { RowTable } from '../archive/format.ts'
import { planningTableNames } from '../archive/planning-format.ts'

cpuBudget(7, 'Archives with every table are made and imported.')

/** A project with something in every table that its archive tells of. */
async function fullProject(forge: Forge, owner: TestUser, developer: TestUser): Promise<TestProject> {
  const project = await forge.project({
    owner,
    developer,
    name: 'Full of it',
    commits: [{ files: { 'README.md': '# Hello\n', 'src/a.c': 'int a;\n' } }, { branch: 'topic/one', files: { b: 'b' } }],
  })
  const at = (path: string) => `/projects/${project.id}${path}`
  const as = forge.as(owner)
  await git(project.dir, 'tag', '-m', 'First', 'v1', 'main')
  await git(project.dir, 'tag', 'light', 'topic/one')
  await git(project.dir, 'tag', 'tree', 'main^{tree}')
  await git(project.dir, 'tag', 'blob', 'main:README.md')
  const { payload, headers } = asForm({ avatar: onePixel })
  await as.put(at(''), payload, { headers })
  const form = asForm({ file: Buffer.from('What a plan') }, { file: 'plan.txt' })
  const { body: upload } = await as.post(at('/uploads'), form.payload, { headers: form.headers })
  await as.put(at(''), {
    description: `See ${upload.url}`,
    tag_list: ['b', 'a'],
    wiki_enabled: false,
    issues_access_level: 'private',
    forking_access_level: 'disabled',
    merge_method: 'ff',
    jobs_enabled: false,
  })
  await as.post(at('/protected_branches'), { name: 'topic/*', push_access_level: 30, merge_access_level: 40 })
  await as.patch(at('/protected_branches/topic%2F*'), { allow_force_push: true })
  await as.post(at('/protected_tags'), { name: 'v*', create_access_level: 40 })
  await as.post(at('/repository/tags/v1/release'), { description: `Notes ${upload.url}` })
  await as.put(at('/releases/v1'), { name: 'The first', released_at: '2030-01-02T03:04:05Z' })
  await as.post(at('/releases/v1/assets/links'), {
    name: 'Binary',
    url: 'ftp://example.com/ü',
    direct_asset_path: '/bin/it',
    link_type: 'package',
  })
  await forge.as(developer).post(at('/repository/commits/main/comments'), { note: `Fine, see ${upload.url}` })
  await forge
    .as(developer)
    .post(at('/statuses/main'), { state: 'success', name: 'build', coverage: 81.5, target_url: 'https://ci.example.com/1' })
  await as.post(at('/badges'), { link_url: 'https://example.com/%{project_path}', image_url: 'https://example.com/badge.svg' })
  const large = uniqueFile()
  await lfsClient(forge, project, owner).put(large.content)
  const failed = { failure_reason: 'unknown_failure' }
  await forge.app.db.updateTable('commit_statuses').set(failed).where('project_id', '=', project.id).execute()
  await forge.app.db
    .updateTable('pipelines')
    .set({ ...failed, before_sha: 'a'.repeat(40), name: 'Nightly', yaml_errors: 'jobs: none' })
    .where('project_id', '=', project.id)
    .execute()
  await forge.app.db
    .updateTable('projects')
    .set({ created_at: '2020-01-02T03:04:05.678Z', last_activity_at: '2021-01-02T03:04:05.678Z', archived: true })
    .where('id', '=', project.id)
    .execute()
  return project
}

/** Rows of a table without what means something in one project alone. */
async function rowsOf(forge: Forge, table: RowTable | 'lfs_links', project: { id: number }): Promise<object[]> {
  const rows = await forge.app.db
    .selectFrom(table as 'releases')
    .selectAll()
    .where('project_id', '=', project.id)
    .execute()
  return rows.map((row) => {
    const {
      id: _,
      project_id: __,
      pipeline_id: ___,
      store_key: ____,
      release_id: _____,
      ...told
    } = row as unknown as Record<string, unknown>
    return told
  })
}

/** Notes on commits, without the columns that only mean something within one project. */
async function notesOf(forge: Forge, { id }: { id: number }) {
  const columns = [
    'author_id',
    'body',
    'commit_oid',
    'type',
    'position',
    'original_position',
    'line_code',
    'created_at',
    'updated_at',
  ] as const
  return forge.app.db.selectFrom('notes').select(columns).where('project_id', '=', id).orderBy('id').execute()
}

const kept: RowTable[] = ['protected_branches', 'protected_tags', 'releases', 'release_links', 'badges', 'pipelines', 'commit_statuses']

async function settingsOf(forge: Forge, { id }: { id: number }) {
  const row = await forge.app.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const {
    id: _,
    path,
    namespace_id,
    creator_id,
    runners_token,
    runners_token_digest,
    avatar_key,
    import_status,
    push_count,
    repository_size,
    ...told
  } = row
  const topics = await forge.app.db.selectFrom('project_topics').select('name').where('project_id', '=', id).orderBy('name').execute()
  return { told: { ...told, topics }, avatar_key, runners_token_digest }
}

test(
  'an archive restores a project exactly: its repository, its settings, and every table of it',
  onPostgresAlone('1 s of processor.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const developer = await forge.user()
    const project = await fullProject(forge, owner, developer)
    const group = await forge.group()
    const archive = await exportOf(forge, owner, project)
    const before = await Promise.all(kept.map((table) => rowsOf(forge, table, project)))
    const notes = await notesOf(forge, project)
    const large = await rowsOf(forge, 'lfs_links', project)
    const secret = (
      await forge.app.db.selectFrom('uploads').select('secret').where('project_id', '=', project.id).executeTakeFirstOrThrow()
    ).secret
    const settings = await settingsOf(forge, project)
    const refs = await git(project.dir, 'for-each-ref')
    const head = await git(project.dir, 'symbolic-ref', 'HEAD')
    // Gone, so that nothing of it is in the way: not even the secrets of its uploads.
    await forge.as(owner).delete(`/projects/${project.id}`)

    const made = await importOf(forge, forge.root, archive, { namespace: String(group.id) })

    expect(made.import_status).toBe('finished')
    const { dir } = forge.app.git.open(made.id)
    expect([await git(dir, 'for-each-ref'), await git(dir, 'symbolic-ref', 'HEAD')]).toEqual([refs, head])
    expect(await git(dir, 'fsck', '--strict')).toBe('')
    expect(await Promise.all(kept.map((table) => rowsOf(forge, table, made)))).toEqual(before)
    expect(before.every((rows) => rows.length > 0)).toBe(true)
    expect([notes.length, await notesOf(forge, made)]).toEqual([1, notes])
    const after = await settingsOf(forge, made)
    expect(after.told).toEqual(settings.told)
    expect(after.runners_token_digest).not.toBe(settings.runners_token_digest)
    expect(await rowsOf(forge, 'uploads', made)).toMatchObject([{ secret, filename: 'plan.txt', user_id: owner.id }])
    expect((await rowsOf(forge, 'lfs_links', made)).map((row) => (row as { oid: string }).oid)).toEqual(
      large.map((row) => (row as { oid: string }).oid),
    )
    const { body: members } = await forge.as(forge.root).get(`/projects/${made.id}/members`)
    expect(members.map((member: { id: number; access_level: number }) => [member.id, member.access_level])).toEqual([
      [forge.root.id, 40],
      [owner.id, 40],
      [developer.id, 30],
    ])
    const { store_key } = await forge.app.db
      .selectFrom('uploads')
      .select('store_key')
      .where('project_id', '=', made.id)
      .executeTakeFirstOrThrow()
    expect(await textOf(forge, store_key)).toBe('What a plan')
    expect((await forge.as(forge.root).get(`//uploads/-/system/project/avatar/${made.id}/file.png`)).bytes.equals(onePixel)).toBe(true)
  },
)

async function textOf(forge: Forge, key: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of await forge.app.store.open(key)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test(
  'beside the original it gets a name of its own, and its texts lead to its own uploads',
  inFullRun('Half a second of processor. A second project of one archive; the round trip above has its uploads.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const project = await fullProject(forge, owner, await forge.user())
    const archive = await exportOf(forge, owner, project)

    const made = await importOf(forge, owner, archive, { path: 'the-copy' })

    const { body: copy } = await forge.as(owner).get(`/projects/${made.id}`)
    const [upload] = (await rowsOf(forge, 'uploads', made)) as Array<{ secret: string }>
    const [first] = (await rowsOf(forge, 'uploads', project)) as Array<{ secret: string }>
    expect([copy.name, copy.path_with_namespace]).toEqual(['the-copy', `${owner.username}/the-copy`])
    expect(upload?.secret).not.toBe(first?.secret)
    expect(copy.description).toBe(`See /uploads/${upload?.secret}/plan.txt`)
    const [release] = (await rowsOf(forge, 'releases', made)) as Array<{ description: string }>
    expect(release?.description).toBe(`Notes /uploads/${upload?.secret}/plan.txt`)
  },
)

test("what others wrote is the importer's where no administrator vouches for them, with their name noted", async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const developer = await forge.user()
  const project = await fullProject(forge, owner, developer)
  const archive = await exportOf(forge, owner, project)

  const made = await importOf(forge, owner, archive)

  const [comment] = await notesOf(forge, made)
  const [original] = await notesOf(forge, project)
  expect([comment?.author_id, comment?.created_at]).toEqual([owner.id, original?.created_at])
  expect(comment?.body).toMatch(
    new RegExp(`\\n\\n \\*By ${developer.name} on \\d{4}-\\d\\d-\\d\\dT[\\d:]{8} \\(imported from Gitstead project\\)\\*$`),
  )
  const { body: members } = await forge.as(owner).get(`/projects/${made.id}/members`)
  expect(members.map((member: { id: number }) => member.id)).toEqual([owner.id])
})

/** The address that the archive tells of a user; undefined where it tells nothing of them. */
async function addressIn(archive: Buffer, { username }: TestUser): Promise<string | null | undefined> {
  const people = (await filesIn(archive)).find(({ name }) => name === 'tables/people.jsonl')?.content.toString('utf8') ?? ''
  const lines = people.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).find((person) => person.username === username)?.email
}

test(
  'an archive has emails only if an administrator exported it, and only for administrators',
  inFullRun('Half a second of processor. An archive has emails of members only, in a test of its own.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const stranger = await forge.user({ email: 'stranger@private.example' })
    const project = await forge.project({ owner })
    const download = (user: TestUser) => forge.as(user).get(`/projects/${project.id}/export/download`)
    // Nobody asks the stranger.
    expect((await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: stranger.id, access_level: 10 })).status).toBe(201)

    expect(await addressIn(await exportOf(forge, owner, project), stranger)).toBeNull()
    expect((await download(owner)).bytes.includes(stranger.email)).toBe(false)

    expect(await addressIn(await exportOf(forge, forge.root, project), stranger)).toBe(stranger.email)
    const [refused, status] = [await download(owner), await forge.as(owner).get(`/projects/${project.id}/export`)]
    expect([refused.status, refused.body, status.body.export_status]).toEqual([404, { message: '404 Not found or has expired' }, 'none'])
    expect((await download(forge.root)).status).toBe(200)

    // An administrator who acts as the owner is the owner.
    await forge.as(forge.root).post(`/projects/${project.id}/export?sudo=${owner.id}`)
    await forge.drain()
    expect(await addressIn((await download(owner)).bytes, stranger)).toBeNull()
  },
)

test('an archive has no data of its instance, and emails of members only', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const developer = await forge.user()
  const passerBy = await forge.user()
  const project = await fullProject(forge, owner, developer)
  await forge.app.db.updateTable('notes').set({ author_id: passerBy.id }).where('project_id', '=', project.id).execute()

  const files = await filesIn(await exportOf(forge, forge.root, project))

  const all = Buffer.concat(files.map(({ content }) => content)).toString('latin1')
  expect(all).not.toContain(tokenOf(forge, project))
  expect(all).not.toContain(passerBy.email)
  expect(all).toContain(developer.email)
  expect(files.map(({ name }) => name.replace(/[0-9a-f]{32,}/, '…'))).toEqual([
    'VERSION',
    'project.json',
    ...[
      'members',
      'protected_branches',
      'protected_tags',
      'releases',
      'release_links',
      'badges',
      'pipelines',
      'commit_statuses',
      'uploads',
      ...planningTableNames,
    ].map((table) => `tables/${table}.jsonl`),
    'tables/people.jsonl',
    'repository.bundle',
    'avatar',
    'uploads/…',
    'lfs/…',
  ])
})

test('an empty project comes back empty, and takes a first push', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })

  const made = await importOf(forge, owner, await exportOf(forge, owner, project))

  const { body } = await forge.as(owner).get(`/projects/${made.id}`)
  const pushed = await forge
    .as(owner)
    .post(`/projects/${made.id}/repository/files/a`, { branch: 'main', content: 'a', commit_message: 'A' })
  expect([made.import_status, body.default_branch, pushed.status]).toEqual(['finished', null, 201])
})

test(
  'an archive of version 1, with switches instead of levels, is read, and parameters of the import override it',
  inFullRun('Half a second of processor. Another archive of version 1 is read above.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const project = await forge.project({ owner })
    await forge.as(owner).put(`/projects/${project.id}`, { wiki_enabled: false, container_registry_enabled: true, topics: ['one'] })
    const files = await filesIn(await exportOf(forge, owner, project))
    const old = files.map(({ name, content }) => {
      if (name === 'VERSION') return { name, content: '1\n' }
      if (name !== 'project.json') return { name, content }
      const { feature_levels: _, ...settings } = JSON.parse(String(content))
      return { name, content: JSON.stringify(settings) }
    })

    const made = await importOf(forge, owner, await archiveOf(old), { path: 'from-version-1', 'override_params[issues_enabled]': 'false' })

    const { body } = await forge.as(owner).get(`/projects/${made.id}`)
    expect([made.import_status, body.topics]).toEqual(['finished', ['one']])
    expect(body).toMatchObject({
      wiki_access_level: 'disabled',
      container_registry_access_level: 'enabled',
      issues_access_level: 'disabled',
    })
    expect(body).toMatchObject({ repository_access_level: 'enabled', builds_access_level: 'enabled', forking_access_level: 'enabled' })
  },
)

test(
  'values of maximum length and odd characters survive',
  inFullRun('Half a second of processor. The round trip above has every table.'),
  async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const project = await forge.project({ owner })
    await forge.as(owner).put(`/projects/${project.id}`, { description: 'Text that says \\u0000 and means it' })
    await git(project.dir, 'tag', 'v1', 'main')
    const sent = [
      ['protected_branches', { name: `x/${'y'.repeat(1_020)}*` }],
      ['protected_tags', { name: `x/${'y'.repeat(1_020)}*` }],
      ['badges', { link_url: 'HTTPS://Example.com', image_url: `HTTP://example.com/${'b'.repeat(2_000)}` }],
      ['statuses/main', { state: 'success', name: 'n'.repeat(255), description: 'd'.repeat(255), target_url: 'http:example.com' }],
      ['repository/commits/main/comments', { note: `${'\u0001'.repeat(150_000)}${'\\u0000'}${'é'.repeat(50_000)}` }],
      ['repository/tags/v1/release', { description: 'r'.repeat(1_040_000) }],
    ] as const
    for (const [path, body] of sent)
      expect([path, (await forge.as(owner).post(`/projects/${project.id}/${path}`, body)).status]).toEqual([path, 201])
    const before = await Promise.all(kept.map((table) => rowsOf(forge, table, project)))

    const made = await importOf(forge, forge.root, await exportOf(forge, owner, project))

    expect([made.import_status, made.import_error]).toEqual(['finished', undefined])
    expect(await Promise.all(kept.map((table) => rowsOf(forge, table, made)))).toEqual(before)
    expect((await forge.as(forge.root).get(`/projects/${made.id}`)).body.description).toBe('Text that says \\u0000 and means it')
  },
)

test('rows added during the export that refer to missing ones are left out', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const [project, other] = [await forge.project({ owner }), await forge.project({ owner })]
  for (const { id } of [project, other]) await forge.as(owner).post(`/projects/${id}/statuses/main`, { state: 'success', name: 'build' })
  // As if its pipeline had come after the pipelines were read.
  await forge.app.db.updateTable('commit_statuses').set({ project_id: project.id }).where('project_id', '=', other.id).execute()

  const made = await importOf(forge, owner, await exportOf(forge, owner, project))

  expect([made.import_status, (await rowsOf(forge, 'commit_statuses', made)).length]).toEqual(['finished', 1])
})

test('an archive of version 1, in which releases have a text alone, is read', onPostgresAlone('Half a second of processor.'), async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner })
  await forge.as(owner).post(`/projects/${project.id}/releases`, { tag_name: 'v1', ref: 'main', description: 'Words', name: 'One' })
  const files = (await filesIn(await exportOf(forge, owner, project))).filter(({ name }) => name !== 'tables/release_links.jsonl')
  const at = '2020-01-02T03:04:05.678Z'
  const older = files.map(({ name, content }) => {
    if (name === 'VERSION') return { name, content: '1\n' }
    if (name !== 'tables/releases.jsonl') return { name, content }
    return { name, content: `${JSON.stringify({ tag_name: 'v1', description: 'Words', created_at: at, updated_at: at })}\n` }
  })
  const { id } = await importOf(forge, owner, await archiveOf(older))
  const { body } = await forge.as(owner).get(`/projects/${id}/releases/v1`)
  expect(body).toMatchObject({ name: 'v1', description: 'Words', released_at: at, assets: { links: [] } })
  expect(body.author).toBeUndefined()
})
