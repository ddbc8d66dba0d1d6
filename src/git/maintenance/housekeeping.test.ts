import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git, type SeedCommit, seed, tryGit } from '../../../test/support/git.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { alone, isUnderWay, keepInOrder, notesOf, planFor } from './housekeeping.ts'
import { inspectStorage, type Storage } from './repository-stats.ts'

let home: string
let git_: Git
let next = 0
const priorities: string[][] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-housekeeping-'))
  git_ = await openGit(home, { by_fork_server: true, onSpawn: (args) => priorities.push(args) })
})

afterAll(async () => {
  git_.close()
  await rm(home, { recursive: true })
})

async function newRepo(commits = 3): Promise<Repo> {
  const repo = git_.open(++next)
  await createRepository(repo, 'main')
  const history: SeedCommit[] = Array.from({ length: commits }, (_, index) => ({ files: { [`file${index}`]: `${next} ${index}` } }))
  if (commits > 0) await seed(repo.dir, history)
  return repo
}

const asked = { bitmaps: true, minRepack: 'incremental', push_count: 1 } as const
const full = { ...asked, minRepack: 'full' } as const
const byNeed = { ...asked, minRepack: 'none' } as const

const everything = (repo: Repo) => git(repo.dir, 'rev-list', '--all', '--objects')
const healthy = (repo: Repo) => git(repo.dir, 'fsck', '--full', '--strict', '--no-dangling')
const inPack = async (repo: Repo, ending: string) =>
  (await readdir(join(repo.dir, 'objects', 'pack'))).filter((name) => name.endsWith(ending))
const has = async (repo: Repo, oid: string) => (await tryGit(repo.dir, 'cat-file', '-e', oid)).code === 0

/** A commit that nothing reaches, as loose objects. */
async function strayCommit(repo: Repo, message: string): Promise<string> {
  return git(repo.dir, 'commit-tree', '-m', message, await git(repo.dir, 'rev-parse', 'main^{tree}'))
}

/** Makes every pack and loose object, and what is known of a pack's objects, as old as that. */
async function age(repo: Repo, days: number): Promise<void> {
  const then = new Date(Date.now() - days * 24 * 3_600_000)
  const objects = join(repo.dir, 'objects')
  for (const name of await readdir(objects, { recursive: true })) {
    if (name.endsWith('.mtimes')) {
      // As gitformat-pack has it: a header of 12 bytes, a time for each object, and two checksums. The last one has to fit again.
      await rewriteTimes(join(objects, name), Math.floor(then.getTime() / 1000))
    } else await utimes(join(objects, name), then, then)
  }
}

async function rewriteTimes(file: string, seconds: number): Promise<void> {
  const { createHash } = await import('node:crypto')
  const bytes = await readFile(file)
  for (let at = 12; at < bytes.length - 40; at += 4) bytes.writeUInt32BE(seconds, at)
  createHash('sha1')
    .update(bytes.subarray(0, -20))
    .digest()
    .copy(bytes, bytes.length - 20)
  await rm(file)
  await writeFile(file, bytes)
}

const orderly: Storage = {
  packs: 1,
  packs_bytes: 50e6,
  cruftPacks: 0,
  looseObjects: 0,
  looseRefs: 0,
  unindexed_bytes: 0,
  hasBitmap: true,
  commitGraphIsOld: false,
}
const nothing = { repack: 'none', packRefs: false, commitGraph: false }
const days = (count: number) => count * 24 * 3_600_000

test.each<[string, Partial<Storage>, number, object]>([
  ['an orderly repository', {}, 100, nothing],
  ['1,024 loose objects', { looseObjects: 1024 }, 1, nothing],
  ['more than 1,024', { looseObjects: 1280 }, 1, { ...nothing, repack: 'incremental', commitGraph: true }],
  ['6 packs of 50 MB', { packs: 6 }, 1, nothing],
  ['7 packs of 50 MB', { packs: 7 }, 1, { ...nothing, repack: 'incremental', commitGraph: true }],
  ['9 packs of 300 MB', { packs: 9, packs_bytes: 300e6 }, 1, nothing],
  ['5 packs of next to nothing', { packs: 5, packs_bytes: 1_000 }, 1, nothing],
  ['6 packs of next to nothing', { packs: 6, packs_bytes: 1_000 }, 1, { ...nothing, repack: 'incremental', commitGraph: true }],
  ['one big pack without a bitmap', { hasBitmap: false }, 1, { ...nothing, repack: 'incremental', commitGraph: true }],
  ['a small one without', { hasBitmap: false, packs_bytes: 1e6 }, 1, nothing],
  ['a bitmap of the lesser part', { unindexed_bytes: 26e6 }, 1, { ...nothing, repack: 'incremental', commitGraph: true }],
  ['16 loose refs', { looseRefs: 16 }, 1, nothing],
  ['17 loose refs', { looseRefs: 17 }, 1, { ...nothing, packRefs: true }],
  ['new commits', { commitGraphIsOld: true }, 1, { ...nothing, commitGraph: true }],
  ['two packs, fully repacked less than 5 days ago', { packs: 2 }, 4.9, nothing],
  ['two packs, fully repacked more than 5 days ago', { packs: 2 }, 5.1, { ...nothing, repack: 'full', commitGraph: true }],
  ['what nothing reached, more than 5 days ago', { cruftPacks: 1 }, 5.1, { ...nothing, repack: 'full', commitGraph: true }],
])('%s calls for just what it needs', (_, found, age_days, plan) => {
  expect(planFor({ ...orderly, ...found }, days(age_days), { bitmaps: true, minRepack: 'none' })).toEqual(plan)
})

test('without bitmaps none is missed', () => {
  expect(planFor({ ...orderly, hasBitmap: false }, 0, { bitmaps: false, minRepack: 'none' })).toEqual(nothing)
})

test('a repository in order stays as it is, and no git is started for it', async () => {
  const repo = await newRepo()
  await keepInOrder(repo, asked)
  const before = [await readdir(join(repo.dir, 'objects'), { recursive: true }), priorities.length]
  expect(await keepInOrder(repo, byNeed)).toEqual(nothing)
  expect([await readdir(join(repo.dir, 'objects'), { recursive: true }), priorities.length]).toEqual(before)
})

test('housekeeping packs everything, writes bitmap and commit-graph, and the repository holds what it held', async () => {
  const repo = await newRepo(20)
  const stray = await strayCommit(repo, 'stray')
  const before = await everything(repo)
  expect((await inspectStorage(repo)).hasBitmap).toBe(false)

  expect(await keepInOrder(repo, asked)).toEqual({ repack: 'incremental', packRefs: false, commitGraph: true })

  expect(await everything(repo)).toBe(before)
  expect([await healthy(repo), await has(repo, stray)]).toEqual(['', true])
  expect(await git(repo.dir, 'count-objects')).toBe('0 objects, 0 kilobytes')
  expect((await inPack(repo, '.bitmap')).length).toBe(1)
  expect(await git(repo.dir, 'rev-list', '--test-bitmap', 'main').catch(String)).not.toContain('failed')
  expect(await git(repo.dir, 'commit-graph', 'verify')).toBe('')
  expect(await inspectStorage(repo)).toMatchObject({ hasBitmap: true, looseObjects: 0, unindexed_bytes: 0, commitGraphIsOld: false })
  await git(home, 'clone', '--quiet', '--mirror', repo.dir, `copy-${next}`)
  expect(await git(join(home, `copy-${next}`), 'rev-list', '--all', '--objects')).toBe(before)
})

test('without bitmaps none is written', async () => {
  const repo = await newRepo()
  await keepInOrder(repo, { ...asked, bitmaps: false })
  expect([await inPack(repo, '.bitmap'), await healthy(repo)]).toEqual([[], ''])
})

test(
  'many packs become few, and many loose refs one file',
  inFullRun('1 s of processor. Housekeeping packs everything in a test above.'),
  async () => {
    const repo = await newRepo(0)
    for (let index = 0; index < 20; index += 1) {
      await seed(repo.dir, [{ branch: `branch-${index}`, files: { file: String(index) } }])
      await git(repo.dir, 'repack', '--quiet')
    }
    const before = [await everything(repo), await git(repo.dir, 'for-each-ref')]
    expect(await inspectStorage(repo)).toMatchObject({ packs: 20, looseRefs: 20 })
    expect(await keepInOrder(repo, byNeed)).toEqual({ repack: 'incremental', packRefs: true, commitGraph: true })
    expect([await everything(repo), await git(repo.dir, 'for-each-ref')]).toEqual(before)
    const { packs, looseRefs } = await inspectStorage(repo)
    expect([packs < 6, looseRefs, await healthy(repo)]).toEqual([true, 0, ''])
  },
)

test('an empty repository is kept in order too', async () => {
  const repo = await newRepo(0)
  expect(await keepInOrder(repo, asked)).not.toBeNull()
  expect(await keepInOrder(repo, full)).not.toBeNull()
  expect(await keepInOrder(repo, byNeed)).toEqual(nothing)
})

test('a full repack is noted, and what nothing reaches stays two weeks from the day it was found, however old it is', async () => {
  const repo = await newRepo()
  const loose = await strayCommit(repo, 'loose')
  await git(repo.dir, 'branch', 'old', await strayCommit(repo, 'old'))
  await git(repo.dir, 'repack', '-adq')
  const old = await git(repo.dir, 'rev-parse', 'old')
  await age(repo, 400)
  await git(repo.dir, 'branch', '-D', 'old')

  await keepInOrder(repo, full)
  expect([await has(repo, loose), await has(repo, old), await healthy(repo)]).toEqual([true, true, ''])
  expect((await inspectStorage(repo)).cruftPacks).toBe(1)
  expect((await notesOf(repo))?.full_repack_ms).toBeGreaterThan(Date.now() - 60_000)

  await age(repo, 13)
  await keepInOrder(repo, full)
  expect([await has(repo, loose), await has(repo, old)]).toEqual([true, true])

  await age(repo, 15)
  await keepInOrder(repo, full)
  expect([await has(repo, loose), await has(repo, old), await healthy(repo)]).toEqual([false, false, ''])
  expect(await git(repo.dir, 'commit-graph', 'verify')).toBe('')
})

test('a full repack evicts the clone cache', async () => {
  const repo = await newRepo()
  const packs = join(repo.dir, '.remembered')
  await git_.clones.answer({ dir: repo.dir, key: async () => 'a' }, () => git_.start(['version'], { dir: repo.dir }))
  expect((await stat(packs)).isDirectory()).toBe(true)
  await keepInOrder(repo, asked)
  expect((await stat(packs)).isDirectory()).toBe(true)
  await keepInOrder(repo, full)
  await expect(stat(packs)).rejects.toThrow('ENOENT')
})

test('one at a time: concurrent runs do nothing, and a stale lock is ignored', async () => {
  const repo = await newRepo()
  const lock = join(repo.dir, '.housekeeping.lock')
  const results = await Promise.all([keepInOrder(repo, asked), keepInOrder(repo, asked), keepInOrder(repo, asked)])
  expect(results.filter((plan) => plan !== null).length).toBe(1)
  expect(await alone(repo, async () => [await isUnderWay(repo), await alone(repo, async () => 'again')])).toEqual([true, null])

  await writeFile(lock, '')
  expect([await isUnderWay(repo), await keepInOrder(repo, asked)]).toEqual([true, null])
  await utimes(lock, new Date(), new Date(Date.now() - 16 * 60_000))
  expect([await isUnderWay(repo), await keepInOrder(repo, asked)]).not.toContain(null)
  await expect(stat(lock)).rejects.toThrow('ENOENT')
})

test('many concurrent runs never overlap', async () => {
  const repo = await newRepo()
  let inside = 0
  let max = 0
  const work = async () => {
    max = Math.max(max, ++inside)
    await new Promise((resolve) => setTimeout(resolve, 2))
    inside -= 1
  }
  for (let round = 0; round < 30; round += 1) await Promise.all(Array.from({ length: 10 }, () => alone(repo, work)))
  expect(max).toBe(1)
})

test('a failed or stopped run leaves no lock and an unchanged repository', async () => {
  const repo = await newRepo()
  const before = await everything(repo)
  await expect(keepInOrder(repo, { ...full, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'timed_out' })
  expect([await isUnderWay(repo), await everything(repo), await healthy(repo)]).toEqual([false, before, ''])
  expect(await keepInOrder(repo, full)).not.toBeNull()
})

test('a deleted repository is skipped', async () => {
  expect(await keepInOrder(git_.open(9_999), asked)).toBeNull()
})

test('a push during a full repack is kept', async () => {
  const repo = await newRepo(30)
  const folder = await mkdtemp(join(home, 'work-'))
  await git(folder, 'clone', '--quiet', repo.dir, 'tree')
  const tree = join(folder, 'tree')
  const pushed: string[] = []
  let running = true
  const pushing = (async () => {
    for (let index = 0; running || index < 5; index += 1) {
      await git(tree, 'commit', '--quiet', '--allow-empty', '-m', `during ${index}`)
      await git(tree, 'push', '--quiet', 'origin', `HEAD:refs/heads/during-${index}`)
      pushed.push(await git(tree, 'rev-parse', 'HEAD'))
    }
  })()
  for (const options of [asked, full, asked, full]) await keepInOrder(repo, options)
  running = false
  await pushing
  expect(await git(repo.dir, 'for-each-ref', '--format=%(objectname)', 'refs/heads/during-*', '--sort=creatordate')).toContain(
    pushed.at(-1),
  )
  expect(new Set((await git(repo.dir, 'for-each-ref', '--format=%(objectname)', 'refs/heads/during-*')).split('\n'))).toEqual(
    new Set(pushed),
  )
  expect(await healthy(repo)).toBe('')
})
