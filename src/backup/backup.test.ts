/** Backups of a forge that stands still: whole, incremental, restored exactly, and every damage found. */
import { randomBytes } from 'node:crypto'
import { cp, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { filesBelow, generationsIn, outside, refsIn, repositoryDir, rowsOf, rowsSaved, withoutOwners } from '../../test/support/backups.ts'
import { testBucket } from '../../test/support/bucket.ts'
import { engine, freshDatabase } from '../../test/support/database.ts'
import { makeFilesOfCi } from '../../test/support/fixtures/ci-files-fixtures.ts'
import { lfsClient, uniqueFile } from '../../test/support/fixtures/lfs.ts'
import { type Forge, openForge, type TestProject, testForge } from '../../test/support/forge.ts'
import { asForm } from '../../test/support/form.ts'
import { git } from '../../test/support/git.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { inFullRun, isGate } from '../../test/support/run/tiers.ts'
import { closeApp, openApp, restoring } from '../app.ts'
import { readConfig } from '../config.ts'
import { beginBackup, endBackup } from '../db/backups.ts'
import { reconcileAll } from '../features/repository/pushes/reconcile.ts'
import { removeProject } from '../features/spaces/projects/removal.service.ts'
import { removeObjectsJob } from '../features/storage/object-storage/object-storage.jobs.ts'
import { run } from '../git/repository/repository.ts'
import { backUp } from './backup.ts'
import { findGeneration } from './generations.ts'
import { lockFolder } from './lock.ts'
import { openProgress, type Progress } from './progress.ts'
import { restoreFrom } from './restore.ts'
import { verifyGeneration } from './verify.ts'

cpuBudget(14, 'Each test makes a backup, and most restore one to a database of its own.')

let forge: Forge
let project: TestProject
let fork: TestProject
let big: ReturnType<typeof uniqueFile>
let folder: string

const never = new AbortController().signal
const quietly = (): Progress => openProgress(true, { write: () => true, isTTY: false })

async function save(options: { verify?: boolean; keep?: number; target?: string; from?: Forge } = {}) {
  const progress = quietly()
  const { config } = (options.from ?? forge).app
  const saved = await backUp(config, options.target ?? folder, { verify: false, keep: null, ...options, progress, signal: never })
  return { ...saved, progress }
}

async function faultsOf(generation: string): Promise<string[]> {
  const progress = quietly()
  await verifyGeneration(generation, progress).catch((error: Error) => progress.fault(error.message))
  return progress.faults
}

beforeAll(async () => {
  forge = await testForge()
  const { root } = forge
  project = await forge.project({
    path: 'source',
    visibility: 'public',
    commits: [1, 2, 3].map((n) => ({ files: { file: randomBytes(20_000 * n) } })),
  })
  await git(project.dir, 'tag', '-a', '-m', 'A tag', 'v1', 'main')
  await run(forge.app.git.open(project.id), ['repack', '-ad', '--quiet'])
  await forge.project({ path: 'empty', files: null })
  const answer = await forge.as(root).post(`/projects/${project.id}/fork`, { path: 'copy', name: 'copy' })
  await forge.drain()
  fork = { ...answer.body, dir: forge.app.git.open(answer.body.id).dir }
  big = uniqueFile(300_000)
  expect((await lfsClient(forge, project, root).put(big.content)).status).toBe(200)
  await forge.as(root).put('/user/status', { emoji: 'seedling', message: 'Ünï\u2028cödé "quoted"\n' })
  await forge.as(root).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'x'.repeat(200_000) })
  await makeFilesOfCi(forge, project)
  const { payload, headers } = asForm({ file: Buffer.from('a text') }, { file: 'a.txt' })
  expect((await forge.as(root).post(`/projects/${project.id}/uploads`, payload, { headers })).status).toBe(201)
  expect((await forge.as(root).post(`/projects/${project.id}/terraform/state/one`, { serial: 1 })).status).toBe(200)
  await writeFile(join(forge.app.config.home, 'gitstead.env'), '')
  await forge.drain()
})

beforeEach(async () => {
  folder = join(await outside(), 'backups')
})

/** An empty place to restore to: the settings that lead there. */
async function emptyPlace(on: 'same' | 'sqlite' = 'same') {
  const home = join(await outside(), 'restored')
  const database = on === 'same' ? await freshDatabase(home) : { url: null, location: join(home, 'gitstead.sqlite'), drop: async () => {} }
  onTestFinished(() => database.drop())
  return { home, location: database.location, env: { GITSTEAD_HOME: home, ...(database.url && { GITSTEAD_DATABASE_URL: database.url }) } }
}

const restore = (env: Record<string, string>, generation: string, verify = false) =>
  restoreFrom(env, generation, { verify, progress: quietly(), signal: never })

test('a restore brings back rows, refs, objects and keys, and reuses no id', async () => {
  const gone = await forge.project({ files: null })
  await removeProject(forge.app, gone.id)
  await forge.drain()
  const saved = await save({ verify: true })
  expect([saved.isComplete, saved.progress.faults]).toEqual([true, []])
  const { home, env, location } = await emptyPlace()
  await restore(env, saved.folder, true)

  const [before, kept, after] = [
    await rowsSaved(saved.folder),
    await rowsOf(forge.app.config.database_url ?? join(forge.app.config.home, 'gitstead.sqlite')),
    await rowsOf(location),
  ]
  expect(withoutOwners(after)).toEqual(withoutOwners(before))
  // Jobs and what they do go on by themselves.
  for (const table of [
    'users',
    'projects',
    'events',
    'namespaces',
    'routes',
    'members',
    'commit_comments',
    'lfs_objects',
    'emails',
    'ci_artifacts',
    'ci_trace_chunks',
  ])
    expect(after[table]).toEqual(kept[table])
  for (const { id } of await forge.app.db.selectFrom('projects').select('id').execute()) {
    expect(await refsIn(home, id)).toEqual(await refsIn(forge.app.config.home, id))
    expect(await git(repositoryDir(home, id), 'fsck', '--no-dangling')).toBe('')
  }
  const app = await openApp({ ...forge.app.config, ...readConfig(env), log_level: 'silent' })
  onTestFinished(() => closeApp(app))
  const { store_key } = await app.db.selectFrom('lfs_objects').selectAll().where('oid', '=', big.oid).executeTakeFirstOrThrow()
  expect((await buffer(await app.store.open(store_key))).equals(big.content)).toBe(true)
  const sizes = (from: typeof app) => from.db.selectFrom('stored_sizes').selectAll().where('project_id', '=', project.id).execute()
  const [restored] = await sizes(app)
  expect([restored, restored?.uploads_size]).toEqual([...(await sizes(forge.app)), 6])
  expect(restored?.terraform_states_size).toBeGreaterThan(0)
  const row = {
    namespace_id: 1,
    creator_id: 1,
    name: 'next',
    path: 'next',
    runners_token: 'x',
    created_at: 'x',
    updated_at: 'x',
    last_activity_at: 'x',
  }
  const { id } = await app.db
    .insertInto('projects')
    .values(row as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(id).toBeGreaterThan(gone.id)
  const found = await app.db.selectFrom('users').select('id').where('username', '=', 'root').execute()
  expect([found, (await filesBelow(home)).get(`objects/${store_key}`)?.mode]).toEqual([[{ id: 1 }], 0o600])
  await expect(stat(join(home, restoring))).rejects.toThrow('ENOENT')
})

test(
  'a search finds what was restored',
  inFullRun('A restore for one row. The first test compares every row that a search reads.'),
  async () => {
    const saved = await save()
    const { env } = await emptyPlace()
    const app = await openForge({
      config: await restore(env, saved.folder).then((config) => ({
        ...config,
        root_token: 'root-token-0123456789',
        root_password: 'root-password',
        log_level: 'silent',
      })),
    })
    onTestFinished(() => app.close())
    const found = await app.as(app.root).get('/projects?search=sourc')
    expect(found.body.map(({ path }: { path: string }) => path)).toContain('source')
  },
)

test('the second backup copies what is new, and links the rest', async () => {
  const first = await save()
  const second = await save()
  expect(second.isComplete).toBe(true)
  const objects = (files: Awaited<ReturnType<typeof filesBelow>>) =>
    [...files].filter(([name]) => /^(objects|repositories.*\/objects)\//.test(name))
  const [before, after] = [await filesBelow(first.folder), await filesBelow(second.folder)]
  expect(objects(after).map(([name, { ino }]) => [name, ino])).toEqual(objects(before).map(([name, { ino }]) => [name, ino]))
  expect(second.progress.linked_bytes).toBeGreaterThan(300_000)
  // The rows alone are written anew.
  const rows = [...after].filter(([name]) => name.startsWith('database/')).reduce((sum, [, { size }]) => sum + size, 0)
  expect(second.progress.copied_bytes).toBeLessThan(rows + 5_000)
  await forge.as(forge.root).post(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'More',
    actions: [
      {
        action: 'create',
        file_path: `more-${randomBytes(4).toString('hex')}`,
        content: randomBytes(30_000).toString('base64'),
        encoding: 'base64',
      },
    ],
  })
  const third = await save({ verify: true })
  expect(third.isComplete).toBe(true)
  expect(third.progress.copied_bytes - second.progress.copied_bytes).toBeGreaterThan(30_000)
  expect(third.progress.copied_bytes - second.progress.copied_bytes).toBeLessThan(60_000)
})

test(
  'packs that forks share are shared in a backup, and after a restore',
  inFullRun('1 s of processor. `forks.test.ts` shares packs, and the second backup above links what is there.'),
  async () => {
    const { folder: generation } = await save()
    const { env, home } = await emptyPlace()
    await restore(env, generation)
    for (const place of [forge.app.config.home, generation, home]) {
      const packs = [...(await filesBelow(join(place, 'repositories')))].filter(([name]) => name.endsWith('.pack'))
      const inodes = (dir: string) => packs.filter(([name]) => join(place, 'repositories', name).startsWith(dir)).map(([, { ino }]) => ino)
      expect(inodes(repositoryDir(place, fork.id))).toEqual(expect.arrayContaining(inodes(repositoryDir(place, project.id)).slice(0, 1)))
    }
  },
)

test(
  'keeps as many complete generations as requested, and removes what a killed run left',
  inFullRun('1 s of processor. The second backup links to the one before it in a test of its own; `refused` has the half ones.'),
  async () => {
    const [first] = [await save(), await save()]
    await mkdir(join(folder, '2020-01-01T00-00-00Z.unfinished', 'database'), { recursive: true })
    const last = await save({ keep: 2 })
    const kept = await generationsIn(folder)
    expect([kept.length, kept.includes(first.folder), kept.includes(last.folder)]).toEqual([2, false, true])
    await expect(stat(join(folder, '2020-01-01T00-00-00Z.unfinished'))).rejects.toThrow('ENOENT')
  },
)

test('nobody else can read a backup', async () => {
  const { folder: generation } = await save()
  for (const [name, { mode }] of await filesBelow(generation)) expect([name, mode & 0o077]).toEqual([name, 0])
  expect((await stat(generation)).mode & 0o777).toBe(0o700)
})

const firstOf = async (generation: string, name: RegExp, below = repositoryDir(generation, project.id)) =>
  join(below, [...(await filesBelow(below)).keys()].find((path) => name.test(path)) as string)

/** A file of its own, so that no other generation is damaged with it. */
async function apart(path: string): Promise<string> {
  const bytes = await readFile(path)
  await rm(path)
  await writeFile(path, bytes, { mode: 0o600 })
  return path
}

const damages: Record<string, [(generation: string) => Promise<unknown>, RegExp]> = {
  'a pack cut short': [
    async (at) => truncate(await apart(await firstOf(at, /\.pack$/)), 5_000),
    /pack-\w+\.pack (is cut short|does not match its checksum)/,
  ],
  'a bit of a pack': [async (at) => flip(await apart(await firstOf(at, /\.pack$/))), /pack-\w+\.pack does not match its checksum/],
  'a pack that is gone': [async (at) => rm(await firstOf(at, /\.pack$/)), /files of objects/],
  'an index that is gone': [async (at) => rm(await firstOf(at, /\.idx$/)), /files of objects|invalid sha1 pointer/],
  'a ref that was changed': [
    async (at) => flip(await apart(join(repositoryDir(at, project.id), 'packed-refs')), 60),
    /packed-refs: its content/,
  ],
  'a repository that is gone': [
    async (at) => rm(repositoryDir(at, project.id), { recursive: true }),
    /repository of project \d+: HEAD: it is missing/,
  ],
  'a large file that is gone': [async (at) => rm(await firstOf(at, /^lfs\//, join(at, 'objects'))), /object lfs\/[\w/-]+: it is missing/],
  'a bit of a large file': [
    async (at) => flip(await apart(await firstOf(at, /^lfs\//, join(at, 'objects')))),
    /object lfs\/[\w/-]+: its content/,
  ],
  'a changed row': [async (at) => changeRows(join(at, 'database', 'users.ndjson.gz')), /database\/users\.ndjson\.gz: it/],
  'a table that is gone': [async (at) => rm(join(at, 'database', 'projects.ndjson.gz')), /database\/projects\.ndjson\.gz: it is missing/],
  'a list that is gone': [async (at) => rm(join(at, 'lists', 'repositories.ndjson.gz')), /lists\/repositories\.ndjson\.gz: it is missing/],
  'no manifest': [async (at) => rm(join(at, 'manifest.json')), /manifest\.json cannot be read/],
  'a changed manifest': [
    async (at) =>
      writeFile(join(at, 'manifest.json'), (await readFile(join(at, 'manifest.json'), 'utf8')).replace('"rows": 1', '"rows": 2')),
    /manifest\.json is damaged/,
  ],
}

async function flip(path: string, at = 1_000): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

async function changeRows(path: string): Promise<void> {
  await writeFile(
    path,
    gzipSync(
      gunzipSync(await readFile(await apart(path)))
        .toString()
        .replace('root', 'toor'),
    ),
  )
}

let sound: Promise<string> | null = null

/** A copy of one backup without a fault: a backup of its own for each damage would cost a second. */
async function copyOfSound(): Promise<string> {
  sound ??= saveSound()
  const generation = await sound
  const copy = join(folder, basename(generation))
  await cp(generation, copy, { recursive: true })
  return copy
}

async function saveSound(): Promise<string> {
  const { folder: generation } = await save({ target: join(await outside(), 'sound') })
  expect(await faultsOf(generation)).toEqual([])
  return generation
}

/** A restore looks for damage by the same function. */
const refusedInGate = ['a bit of a pack', 'a changed row', 'a changed manifest']

/** 1 s of processor. A bit of a pack is found by the same checksum. */
const inGate = ([name]: [string, unknown]) => !isGate || name !== 'a pack cut short'

// The engine has no part in these.
test.runIf(engine === 'sqlite').each(Object.entries(damages).filter(inGate))('verification finds %s', async (name, [damage, line]) => {
  const generation = await copyOfSound()
  await damage(generation)
  expect(await faultsOf(generation)).toEqual(expect.arrayContaining([expect.stringMatching(line)]))
  if (isGate && !refusedInGate.includes(name)) return
  const { env, home } = await emptyPlace()
  await expect(restore(env, generation, true)).rejects.toThrow(/damaged|cannot be read/)
  await expect(stat(join(home, 'gitstead.sqlite'))).rejects.toThrow('ENOENT')
})

test('a loose object that has rotted is found', async () => {
  await forge.as(forge.root).post(`/projects/${fork.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Loose',
    actions: [{ action: 'create', file_path: 'loose', content: 'loose' }],
  })
  const { folder: generation } = await save()
  const path = await apart(await firstOf(generation, /objects\/[0-9a-f]{2}\//, repositoryDir(generation, fork.id)))
  await flip(path, 10)
  expect(await faultsOf(generation)).toEqual(
    expect.arrayContaining([expect.stringMatching(/objects\/\w\w\/\w+ (cannot be unpacked|does not match its name)/)]),
  )
})

test(
  'a push that is lost is a fault: its event is there, and its ref is behind',
  inFullRun('Half a second of processor. `refs.test.ts` compares refs with the events of a snapshot.'),
  async () => {
    const lost = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
    await git(lost.dir, 'update-ref', 'refs/heads/main', 'main~1')
    const { folder: generation, isComplete, progress } = await save({ verify: true })
    expect([isComplete, progress.faults]).toEqual([
      false,
      [expect.stringMatching(/refs\/heads\/main is at \w+, its last event tells of \w+/)],
    ])
    expect(generation).toMatch(/\.incomplete$/)
    await removeProject(forge.app, lost.id)
  },
)

test(
  'one repository that cannot be read makes the backup incomplete; the others are saved, and it can be restored on request',
  inFullRun('3 s of processor. hostile.test.ts reads what is damaged.'),
  async () => {
    const good = await save()
    const broken = await forge.project()
    const gone = await forge.project()
    await writeFile(join(broken.dir, 'refs/heads/main'), '')
    await rm(gone.dir, { recursive: true })
    const { folder: generation, isComplete, progress } = await save({ verify: true })
    expect([isComplete, progress.faults.toSorted()]).toEqual([
      false,
      [
        expect.stringMatching(`repository of project ${broken.id}: .*broken`),
        `repository of project ${gone.id}: the repository is missing`,
      ],
    ])
    expect(await findGeneration(folder, undefined)).toBe(good.folder)
    const { env, home } = await emptyPlace()
    await restore(env, generation)
    expect(await refsIn(home, project.id)).toEqual(await refsIn(forge.app.config.home, project.id))
    for (const { id } of [broken, gone]) await removeProject(forge.app, id)
    await forge.drain()
    const next = await save({ verify: true })
    expect([next.isComplete, await stat(generation).catch(() => null)]).toEqual([true, null])
  },
)

test(
  'an object missing from the store is reported by its key',
  inFullRun('Half a second of processor. The doctor finds large files that are gone.'),
  async () => {
    const file = uniqueFile()
    await lfsClient(forge, project, forge.root).put(file.content)
    const { store_key } = await forge.app.db.selectFrom('lfs_objects').selectAll().where('oid', '=', file.oid).executeTakeFirstOrThrow()
    const place = join(forge.app.config.home, 'objects', store_key)
    await rename(place, `${place}-away`)
    const { isComplete, progress } = await save({ verify: true })
    await rename(`${place}-away`, place)
    expect([isComplete, progress.faults]).toEqual([false, [`object ${store_key}: it is missing`]])
  },
)

test('refused: a folder inside the data folder, two at once, a place that is not empty, a newer schema, no backup', async () => {
  const { home } = forge.app.config
  await expect(save({ target: join(home, 'a', 'backup') })).rejects.toThrow(`inside the data folder ${home}`)
  await expect(stat(join(home, 'a'))).rejects.toThrow('ENOENT')
  await expect(save({ target: dirname(home) })).rejects.toThrow('is inside')
  const saved = await save()
  const release = lockFolder(folder)
  await expect(save()).rejects.toThrow('another backup into')
  release()
  await expect(restore({ GITSTEAD_HOME: home }, saved.folder)).rejects.toThrow(/is not empty/)
  if (engine === 'postgres') {
    const place = await emptyPlace()
    await expect(restore({ ...place.env, GITSTEAD_DATABASE_URL: forge.app.config.database_url as string }, saved.folder)).rejects.toThrow(
      /database .* is not empty/,
    )
  }
  await expect(findGeneration(folder, 'elsewhere')).rejects.toThrow('is not the name of a backup')
  await expect(findGeneration(folder, '2020-01-01T00-00-00Z')).rejects.toThrow('there is no backup')
  await expect(findGeneration(folder, '2020-01-01T00-00-00Z.unfinished')).rejects.toThrow('was not finished')
  await expect(findGeneration(home, undefined)).rejects.toThrow('no complete backup')
  await expect(findGeneration(join(folder, 'nowhere'), undefined)).rejects.toThrow('does not exist')
})

test(
  'a restore that fails leaves the place empty, and can be tried again',
  inFullRun('Half a second of processor. `hostile.test.ts` looks at the place after each restore that is refused.'),
  async () => {
    const saved = await save()
    const { env, home } = await emptyPlace()
    const object = await firstOf(saved.folder, /^lfs\//, join(saved.folder, 'objects'))
    await rename(object, `${object}-away`)
    await expect(restore(env, saved.folder)).rejects.toThrow(/object lfs.* cannot be restored/)
    await rename(`${object}-away`, object)
    expect([...(await filesBelow(home)).keys()]).toEqual([])
    await restore(env, saved.folder)
    await writeFile(join(home, restoring), '')
    await expect(openApp({ ...forge.app.config, home })).rejects.toThrow(/restore .* did not finish/)
  },
)

test('while a backup is under way nothing that it may need is removed; afterwards it is', async () => {
  const victim = await forge.project()
  const file = uniqueFile()
  await lfsClient(forge, victim, forge.root).put(file.content)
  const { store_key } = await forge.app.db.selectFrom('lfs_objects').selectAll().where('oid', '=', file.oid).executeTakeFirstOrThrow()
  const lease = await beginBackup(forge.app.db)
  await removeProject(forge.app, victim.id)
  await forge.app.db
    .insertInto('unreferenced_objects')
    .values({ key: store_key, remove_after: new Date(0).toISOString() })
    .execute()
  await forge.drain()
  await removeObjectsJob.handle(forge.app, {})
  const there = () =>
    Promise.all(
      [victim.dir, join(forge.app.config.home, 'objects', store_key)].map((path) =>
        stat(path).then(
          () => true,
          () => false,
        ),
      ),
    )
  expect(await there()).toEqual([true, true])

  // A backup that died: its lease ends by itself.
  await forge.app.db
    .updateTable('backups')
    .set({ expires_at: new Date(0).toISOString() })
    .where('id', '=', lease)
    .execute()
  await forge.app.db
    .updateTable('jobs')
    .set({ run_at: new Date(0).toISOString() })
    .where('name', '=', 'projects.remove_repository')
    .execute()
  await forge.drain()
  await removeObjectsJob.handle(forge.app, {})
  expect(await there()).toEqual([false, false])
  await forge.app.db.deleteFrom('lfs_objects').where('oid', '=', file.oid).execute()
  await endBackup(forge.app.db, lease)
})

test(
  'a push under way in the backup is settled at the first start of what was restored',
  inFullRun('1 s of processor. `reconcile.test.ts` settles pushes at a start.'),
  async () => {
    const it = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
    const tip = await git(it.dir, 'rev-parse', 'main')
    const older = await git(it.dir, 'rev-parse', 'main~1')
    const zero = '0'.repeat(40)
    const insert = (ref: string, after: string) =>
      forge.app.db
        .insertInto('push_intents')
        .values({
          project_id: it.id,
          user_id: 1,
          process: 'elsewhere 1 x',
          changes: JSON.stringify([{ ref, before: zero, after }]),
          created_at: new Date().toISOString(),
        })
        .execute()
    await insert('refs/heads/done', tip)
    await git(it.dir, 'update-ref', 'refs/heads/done', tip)
    await insert('refs/heads/undone', older)
    const saved = await save({ verify: true })
    await forge.app.db.deleteFrom('push_intents').execute()
    const { env } = await emptyPlace()
    const config = { ...(await restore(env, saved.folder)), log_level: 'silent' }
    const app = await openApp(config)
    onTestFinished(() => closeApp(app))
    await reconcileAll(app)
    const told = await app.db
      .selectFrom('events')
      .select(['ref', 'after_oid'])
      .where('project_id', '=', it.id)
      .where('ref', 'like', '%done')
      .execute()
    expect([told, await app.db.selectFrom('push_intents').selectAll().execute()]).toEqual([
      [{ ref: 'refs/heads/done', after_oid: tip }],
      [],
    ])
  },
)

test(
  'objects in a bucket are brought down, and back up',
  inFullRun('1 s of processor. The round trip has the objects of a folder; `src/store` has both stores do the same.'),
  async () => {
    const bucket = await testBucket(join(await forge.folder(), 'bucket'))
    onTestFinished(() => bucket.close())
    const other = await openForge({ config: { s3: bucket.options } })
    const it = await other.project()
    const file = uniqueFile(200_000)
    await lfsClient(other, it, other.root).put(file.content)
    const keys = await bucket.keys()
    const saved = await save({ from: other, verify: true })
    const again = await save({ from: other })
    expect([saved.isComplete, again.progress.linked_bytes > 200_000]).toEqual([true, true])
    const empty = await testBucket(join(await forge.folder(), 'bucket'))
    onTestFinished(() => empty.close())
    const { env } = await emptyPlace()
    const { endpoint, bucket: name } = empty.options
    const s3 = {
      GITSTEAD_S3_BUCKET: name,
      GITSTEAD_S3_ENDPOINT: String(endpoint),
      GITSTEAD_S3_ACCESS_KEY_ID: 'S3RVER',
      GITSTEAD_S3_SECRET_ACCESS_KEY: 'S3RVER',
    }
    await restore({ ...env, ...s3 }, again.folder)
    expect(await empty.keys()).toEqual(keys)
  },
)

test.runIf(engine === 'postgres')('a backup of one engine is restored to the other, there and back', async () => {
  const saved = await save()
  const embedded = await emptyPlace('sqlite')
  await restore(embedded.env, saved.folder)
  expect(withoutOwners(await rowsOf(embedded.location))).toEqual(withoutOwners(await rowsSaved(saved.folder)))
  const progress = quietly()
  const back = await backUp(readConfig(embedded.env), join(await outside(), 'back'), {
    verify: true,
    keep: null,
    progress,
    signal: never,
  })
  expect(progress.faults).toEqual([])
  const served = await emptyPlace()
  await restore(served.env, back.folder)
  expect(withoutOwners(await rowsOf(served.location))).toEqual(withoutOwners(await rowsSaved(saved.folder)))
  const app = await openApp({ ...readConfig(served.env), log_level: 'silent' })
  onTestFinished(() => closeApp(app))
  const { id } = await app.db
    .insertInto('events')
    .values({ author_id: 1, action: 'joined', created_at: 'x' } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(id).toBeGreaterThan(0)
})
