import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git, seed } from '../../../test/support/git.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { removeStaleFiles, removeUnfinished } from './stale-files.ts'

let home: string
let opened: Git
let repo: Repo

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-stale-'))
  opened = await openGit(home, { by_fork_server: true })
  repo = opened.open(1)
  await createRepository(repo, 'main')
  await seed(repo.dir, [{ files: { a: 'a' } }])
})

afterAll(async () => {
  opened.close()
  await rm(home, { recursive: true })
})

const minutes = 1
const hours = 60
const days = 24 * hours

/** Files that killed processes leave, and how many minutes old they have to be. */
const staleFiles: Array<[path: string, lifetime: number]> = [
  ['packed-refs.lock', 15 * minutes],
  ['HEAD.lock', 15 * minutes],
  ['config.lock', 15 * minutes],
  ['objects/pack/multi-pack-index.lock', 15 * minutes],
  ['objects/info/commit-graphs/commit-graph-chain.lock', 15 * minutes],
  ['refs/heads/main.lock', 1 * hours],
  ['refs/heads/deep/er/branch.lock', 1 * hours],
  ['objects/pack/pack-1234.keep', 7 * days],
  ['objects/tmp_objdir-incoming-abc/', 1 * days],
  ['objects/tmp_objdir-bulk-fsync-abc/', 1 * days],
  ['objects/pack/tmp_pack_abc', 1 * days],
  ['objects/pack/tmp_idx_abc', 1 * days],
  ['objects/pack/.tmp-123-pack-abc.pack', 1 * days],
  ['objects/1a/tmp_obj_abc', 1 * days],
  ['objects/info/commit-graphs/tmp_graph_abc', 1 * days],
  ['.remembered/key.uuid.new', 1 * days],
  ['arriving-0123/', 1 * days],
]

const placeOf = (path: string) => join(repo.dir, path)

/** Makes it, so many minutes old. */
async function leave(path: string, minutesOld: number): Promise<void> {
  const isFolder = path.endsWith('/')
  await mkdir(isFolder ? path : dirname(path), { recursive: true })
  await writeFile(isFolder ? join(path, 'pack') : path, 'left')
  const then = new Date(Date.now() - minutesOld * 60_000)
  await utimes(path, then, then)
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

test.each(staleFiles)('%s is removed once it is too old to be in use', async (path, lifetime) => {
  await leave(placeOf(path), lifetime - 1)
  expect([await removeStaleFiles(repo), await exists(placeOf(path))]).toEqual([[], true])
  await leave(placeOf(path), lifetime + 1)
  expect(await removeStaleFiles(repo)).toEqual([placeOf(path).replace(/\/$/, '')])
  expect(await exists(placeOf(path))).toBe(false)
})

test('an unfinished repository is removed after a day, and others stay', async () => {
  const neighbour = join(dirname(repo.dir), 'another.git')
  await leave(`${repo.dir}.new-abc123/`, 1 * days + 1)
  await leave(`${repo.dir}.new-def456/`, 1 * days - 1)
  await leave(`${neighbour}/`, 100 * days)
  await leave(`${neighbour}.new-abc123/`, 100 * days)
  expect(await removeStaleFiles(repo)).toEqual([`${repo.dir}.new-abc123`])
  expect((await readdir(dirname(repo.dir))).length).toBe(4)
})

test('failed housekeeping removes its own unfinished files, and none that a push writes', async () => {
  const begun = ['objects/pack/.tmp-123-pack-abc.pack', 'objects/pack/tmp_idx_abc', 'objects/info/commit-graphs/tmp_graph_abc']
  const pushed = 'objects/tmp_objdir-incoming-abc/'
  for (const path of [...begun, pushed]) await leave(placeOf(path), 0)
  await removeUnfinished(repo)
  expect(await Promise.all([...begun, pushed].map((path) => exists(placeOf(path))))).toEqual([false, false, false, true])
  await rm(placeOf(pushed), { recursive: true })
})

test('other files stay, however old', async () => {
  const files = (await readdir(repo.dir, { recursive: true })).map((name) => join(repo.dir, name))
  const longAgo = new Date(0)
  await git(repo.dir, 'branch', 'named.lock-not', 'main')
  await git(repo.dir, 'repack', '-q')
  for (const file of files) await utimes(file, longAgo, longAgo).catch(() => {})
  expect(await removeStaleFiles(repo)).toEqual([])
  expect(await git(repo.dir, 'fsck', '--full')).toBe('')
})

test('removing a repository that doesn’t exist does nothing', async () => {
  expect(await removeStaleFiles(opened.open(404))).toEqual([])
})
