import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ArchiveFile, archiveOf, exportOf, filesIn, importOf } from '../../../../test/support/fixtures/archives.ts'
import { oidOf } from '../../../../test/support/fixtures/lfs.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { fits, ProjectSettings, type TableName, tables } from '../archive/format.ts'

interface Bench {
  forge: Forge
  owner: TestUser
  /** The files of an archive that is as it should be. */
  files: ArchiveFile[]
}

let bench: Promise<Bench> | null = null

function theBench(): Promise<Bench> {
  bench ??= (async () => {
    const forge = await testForge()
    const owner = await forge.user()
    const project = await forge.project({ owner })
    await forge.as(owner).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Fine' })
    return { forge, owner, files: await filesIn(await exportOf(forge, owner, project)) }
  })()
  return bench
}

/** Imports an archive, and looks that nothing of it is left where it failed. */
async function errorOf({ forge, owner }: Bench, archive: Buffer): Promise<string> {
  const made = await importOf(forge, owner, archive)
  const { body } = await forge.as(owner).get(`/projects/${made.id}`)
  expect([made.import_status, body.visibility, body.import_status]).toEqual(['failed', 'private', 'failed'])
  expect(await readdir(join(forge.app.config.home, 'scratch'))).toEqual([])
  return made.import_error ?? ''
}

/** The archive with this file instead of the one of its name, or besides. */
function withFile(files: ArchiveFile[], file: ArchiveFile): Promise<Buffer> {
  const isThere = files.some(({ name }) => name === file.name)
  return archiveOf(isThere ? files.map((one) => (one.name === file.name ? file : one)) : [...files, file])
}

function settingsWith(files: ArchiveFile[], change: object): object {
  return { ...JSON.parse(String(files.find(({ name }) => name === 'project.json')?.content)), ...change }
}

function withSettings(files: ArchiveFile[], change: object): Promise<Buffer> {
  return withFile(files, { name: 'project.json', content: JSON.stringify(settingsWith(files, change)) })
}

test(
  'a file that is no archive is rejected with the reason',
  inFullRun('Half a second of processor. Another kind of archive is rejected with the reason.'),
  async () => {
    const bench = await theBench()
    const whole = await archiveOf(bench.files)

    const damaged = 'The archive is damaged, or no tar.gz at all.'
    expect(await errorOf(bench, Buffer.from('anything'))).toBe(damaged)
    expect(await errorOf(bench, Buffer.alloc(0))).toMatch(/^The archive (is damaged|lacks project.json)/)
    expect(await errorOf(bench, gzipSync(Buffer.alloc(4096, 'x')))).toBe(damaged)
    expect(await errorOf(bench, whole.subarray(0, whole.length - 20))).toBe(damaged)
    expect(await errorOf(bench, whole.subarray(0, 400))).toBe(damaged)
  },
)

test('another kind of archive, or a later version, is rejected with the reason', async () => {
  const bench = await theBench()
  const { files } = bench

  expect(await errorOf(bench, await archiveOf([{ name: './VERSION', content: '0.2.4' }]))).toBe('The archive was not made by Gitstead.')
  expect(await errorOf(bench, await archiveOf(files.slice(1)))).toBe('The archive was not made by Gitstead.')
  expect(await errorOf(bench, await withFile(files, { name: 'VERSION', content: '0.2.4' }))).toBe('The archive was not made by Gitstead.')
  expect(await errorOf(bench, await withFile(files, { name: 'VERSION', content: '8\n' }))).toBe(
    'The archive has version 8, and this Gitstead reads none after 7.',
  )
  expect(await errorOf(bench, await archiveOf(files.filter(({ name }) => name !== 'project.json')))).toBe('The archive lacks project.json.')
})

test.each<[string, ArchiveFile, string]>([
  ['a path out of it', { name: '../evil', content: 'x' }, 'holds "../evil", which does not belong there'],
  ['an absolute path', { name: '/etc/evil', content: 'x' }, 'holds "/etc/evil", which does not belong there'],
  [
    'a path out of a table',
    { name: 'tables/../../evil.jsonl', content: 'x' },
    'holds "tables/../../evil.jsonl", which does not belong there',
  ],
  ['an unknown table', { name: 'tables/users.jsonl', content: '' }, 'holds "tables/users.jsonl", which does not belong there'],
  ['a symlink', { name: 'avatar', type: 'symlink', linkname: '/etc/passwd' }, 'holds "avatar", which is no file'],
  ['a hard link', { name: 'avatar', type: 'link', linkname: 'VERSION' }, 'holds "avatar", which is no file'],
  ['a device', { name: 'avatar', type: 'character-device', devmajor: 1, devminor: 5 }, 'holds "avatar", which is no file'],
  ['a folder', { name: 'tables', type: 'directory' }, 'holds "tables", which is no file'],
  ['an avatar that is no picture', { name: 'avatar', content: '<svg onload="alert(1)"/>' }, 'has an avatar that is no picture'],
  [
    'a large file that is another',
    { name: `lfs/${'a'.repeat(64)}`, content: 'x' },
    `holds bytes in lfs/${'a'.repeat(64)} that are not that large file`,
  ],
])('%s is refused', async (_, file, fieldError) => {
  const bench = await theBench()

  expect(await errorOf(bench, await withFile(bench.files, file))).toBe(`The archive ${fieldError}.`)
})

test('a file that comes twice is refused', async () => {
  const bench = await theBench()

  expect(await errorOf(bench, await archiveOf([...bench.files, { name: 'project.json', content: '{}' }]))).toBe(
    'The archive holds "project.json" twice.',
  )
})

test('a decompression bomb is rejected before it unpacks', async () => {
  const bench = await theBench()
  const bomb = await archiveOf([...bench.files.slice(0, 2), { name: 'repository.bundle', content: Buffer.alloc(80 * 1024 * 1024) }])

  expect(bomb.length).toBeLessThan(200_000)
  expect(await errorOf(bench, bomb)).toBe('The archive unpacks to more than a project holds.')
})

test.each<[string, object]>([
  ['a level that is none', { feature_levels: { wiki_access_level: 'public' } }],
  ['levels that are none', { feature_levels: 'enabled' }],
  ['an unknown visibility', { visibility: 'secret' }],
  ['a number for a name', { name: 7 }],
  ['an instant that is none', { created_at: 'yesterday' }],
  ['a NUL', { description: 'a\0b' }],
  ['tags that are no list', { tag_list: 'a' }],
  ['a column that is not for them', { namespace_id: 1 }],
  ['a NUL in a tag', { tag_list: ['a\0'] }],
  ['an avatar under a path', { avatar_name: '../../x.png' }],
])('settings with %s are none', async (_, change) => {
  const { files } = await theBench()

  expect([settingsWith(files, {}), settingsWith(files, change)].map((settings) => fits(ProjectSettings, settings))).toEqual([true, false])
})

test('settings with text for a switch are refused', async () => {
  const bench = await theBench()

  expect(await errorOf(bench, await withSettings(bench.files, { wiki_enabled: 'yes' }))).toBe(
    'The archive has settings in project.json that are none.',
  )
})

test('an invalid project name is rejected', async () => {
  const bench = await theBench()

  expect(await errorOf(bench, await withSettings(bench.files, { name: '<script>' }))).toMatch(
    /^The archive has settings that no project has: .*can contain only letters/,
  )
})

const comment = {
  commit_oid: 'a'.repeat(40),
  person: null,
  note: 'x',
  path: null,
  line: null,
  line_type: null,
  created_at: '2020-01-01T00:00:00.000Z',
}
const rule = { name: 'x', push_level: 40, merge_level: 40, updated_at: '2020-01-01T00:00:00.000Z' }
const badge = { link_url: 'https://a', image_url: 'https://b', created_at: '2020-01-01T00:00:00.000Z' }
const pipeline = {
  id: 1,
  ref: 'main',
  sha: 'a'.repeat(40),
  tag: false,
  source: 'external',
  status: 'success',
  person: null,
  created_at: comment.created_at,
  updated_at: comment.created_at,
  started_at: null,
  finished_at: null,
}

test.each<[string, TableName, unknown]>([
  ['a list', 'commit_comments', []],
  ['a commit that is none', 'commit_comments', { ...comment, commit_oid: '../../etc' }],
  ['a person that is text', 'commit_comments', { ...comment, person: '1' }],
  ['an instant of no month', 'commit_comments', { ...comment, created_at: '2020-13-01T00:00:00.000Z' }],
  ['a level there is not', 'protected_branches', { ...rule, push_level: 1 }],
  ['a link that runs', 'badges', { ...badge, link_url: 'javascript:alert(1)' }],
  ['an id of its own', 'commit_comments', { ...comment, id: Number.MAX_SAFE_INTEGER }],
  ['a column of the database that is no part of the format', 'pipelines', { ...pipeline, project_id: 1 }],
  ['a column that no table has', 'badges', { ...badge, 'x" or 1': 1 }],
  ['a level there is not for members', 'members', { person: 1, access_level: 60, expires_at: null, created_at: comment.created_at }],
])('a line with %s is none', (_, table, line) => {
  expect(fits(tables[table], line)).toBe(false)
})

test('such lines change one value of a line that is one', () => {
  expect(fits(tables.commit_comments, comment)).toBe(true)
  expect(fits(tables.protected_branches, rule)).toBe(true)
  expect(fits(tables.badges, badge)).toBe(true)
  expect(fits(tables.pipelines, pipeline)).toBe(true)
})

test('a line with no JSON is refused', async () => {
  const bench = await theBench()
  const name = 'tables/commit_comments.jsonl'

  expect(await errorOf(bench, await withFile(bench.files, { name, content: 'x{\n' }))).toBe(
    `The archive has a line 1 in ${name} that is none of that table.`,
  )
})

test(
  'a status of no pipeline, and an upload of no bytes, are refused',
  inFullRun('Half a second of processor. Lines that name others that the archive lacks are refused in `planning.test.ts`.'),
  async () => {
    const bench = await theBench()
    const at = comment.created_at
    const status = {
      pipeline: 7,
      sha: 'a'.repeat(40),
      ref: 'main',
      name: 'x',
      stage: 'x',
      status: 'success',
      target_url: null,
      description: null,
    }
    const whole = { ...status, coverage: null, allow_failure: false, person: null, created_at: at, started_at: null, finished_at: null }
    const upload = { secret: 'b'.repeat(32), filename: 'a.txt', size: 1, person: null, created_at: at }
    const lines = (value: object) => `${JSON.stringify(value)}\n`

    const orphan = await withFile(bench.files, { name: 'tables/commit_statuses.jsonl', content: lines(whole) })
    const hollow = await withFile(bench.files, { name: 'tables/uploads.jsonl', content: lines(upload) })
    const outside = await archiveOf([
      ...bench.files.filter(({ name }) => name !== 'tables/uploads.jsonl'),
      { name: 'tables/uploads.jsonl', content: lines({ ...upload, filename: '../a.txt' }) },
      { name: `uploads/${upload.secret}`, content: 'x' },
    ])

    expect(await errorOf(bench, orphan)).toBe('The archive has a status of a pipeline that it lacks.')
    expect(await errorOf(bench, hollow)).toBe(`The archive lacks uploads/${upload.secret}.`)
    expect(await errorOf(bench, outside)).toBe('The archive has an upload whose name is no name of a file.')
  },
)

test('large files are imported if their bytes match', async () => {
  const { forge, owner, files } = await theBench()
  const content = `large ${Date.now()}`

  const made = await importOf(forge, owner, await withFile(files, { name: `lfs/${oidOf(content)}`, content }))

  expect(made.import_status).toBe('finished')
  expect((await forge.app.db.selectFrom('lfs_links').select('oid').where('project_id', '=', made.id).execute())[0]?.oid).toBe(
    oidOf(content),
  )
})

test('an archive makes nobody a member or author unless an administrator imports it', async () => {
  const { forge, owner, files } = await theBench()
  const victim = await forge.user()
  const people = [{ id: 1, username: victim.username, name: 'Victim', email: victim.email }]
  const replaced: Record<string, object> = {
    'tables/people.jsonl': people[0] as object,
    'tables/members.jsonl': { person: 1, access_level: 40, expires_at: null, created_at: comment.created_at },
  }
  const said = { name: 'tables/commit_comments.jsonl', content: `${JSON.stringify({ ...comment, person: 1, note: 'I resign' })}\n` }
  const forged = files.map(({ name, content }) => ({
    name,
    content: name in replaced ? `${JSON.stringify(replaced[name])}\n` : (content ?? ''),
  }))

  const made = await importOf(forge, owner, await withFile(forged, said))

  const notes = forge.app.db.selectFrom('notes').select(['author_id', 'body as note']).where('project_id', '=', made.id)
  const rows = await notes.where('body', 'like', 'I resign%').execute()
  expect(rows).toEqual([{ author_id: owner.id, note: 'I resign\n\n *By Victim on 2020-01-01T00:00:00 (imported from Gitstead project)*' }])
  expect((await forge.as(owner).get(`/projects/${made.id}/members`)).body).toHaveLength(1)
})

test('a bundle with objects that no push may bring is refused, and its refs are not made', async () => {
  const bench = await theBench()
  const { forge, owner } = bench
  const folder = await forge.folder()
  await git(folder, 'init', '--quiet', '--bare', '.')
  const tree = await git(folder, 'hash-object', '-w', '-t', 'tree', '/dev/null')
  const commit = `tree ${tree}\nauthor A <a@example.com> 1 +0000\ncommitter A\n\nBroken\n`
  await writeFile(join(folder, 'raw'), commit)
  const broken = await git(folder, 'hash-object', '-w', '-t', 'commit', '--literally', 'raw')
  await writeFile(join(folder, 'refs', 'heads', 'main'), `${broken}\n`)
  await git(folder, 'bundle', 'create', 'bad.bundle', 'main')
  const content = await readFile(join(folder, 'bad.bundle'))

  const made = await importOf(forge, owner, await withFile(bench.files, { name: 'repository.bundle', content }))

  expect([made.import_status, made.import_error]).toEqual([
    'failed',
    expect.stringMatching(/^The repository holds objects that git refuses: /),
  ])
  expect(await git(forge.app.git.open(made.id).dir, 'for-each-ref')).toBe('')
})
