/** Content that arrives for a repository: it comes whole, and only where nothing is yet. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { git, seed } from '../../../test/support/git.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { allRefs } from '../refs/refs.ts'
import { type Repo, run } from '../repository/repository.ts'
import { copyRepository } from './mirror.ts'
import { beginWith, closeStagedImport, isOpen, openStagedImport, takeOver } from './staged-import.ts'

/** One that has two branches and a tag, and lets loose objects lie. */
async function source(): Promise<Repo> {
  const repo = await bareRepository()
  await seed(repo.dir, [
    { branch: 'trunk', files: { a: 'a' } },
    { branch: 'zeal', files: { b: 'b' } },
  ])
  await git(repo.dir, 'tag', '-m', 'First', 'v1', 'trunk')
  return repo
}

async function arrivalOf(repo: Repo, from: Repo): Promise<Repo> {
  const arrival = await openStagedImport(repo)
  await copyRepository(from, arrival, { share: true })
  return arrival
}

test('everything that arrived is taken over, with HEAD at the first wanted branch that exists, and nothing is left beside it', async () => {
  const [from, repo] = [await source(), await bareRepository()]
  const arrival = await arrivalOf(repo, from)

  const taken = await takeOver(arrival, repo, [null, 'missing', 'zeal'])
  await closeStagedImport(arrival)

  expect([taken, await allRefs(repo)]).toEqual([true, await allRefs(from)])
  expect(await git(repo.dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/zeal')
  expect(await git(repo.dir, 'fsck', '--full', '--strict')).toBe('')
  expect((await readdir(repo.dir)).filter((name) => name.startsWith('arriving'))).toEqual([])
})

test('a name that is no UTF-8 stays what it is', async () => {
  const [from, repo] = [await source(), await bareRepository()]
  const odd = Buffer.concat([Buffer.from(join(from.dir, 'refs', 'heads', 'caf')), Buffer.from([0xe9])])
  await writeFile(odd, `${await git(from.dir, 'rev-parse', 'trunk')}\n`)

  await takeOver(await arrivalOf(repo, from), repo, [])

  const names = await run(repo, ['for-each-ref', '--format=%(refname)', 'refs/heads'])
  expect(names.toString('latin1').split('\n')).toEqual(['refs/heads/café', 'refs/heads/trunk', 'refs/heads/zeal', ''])
})

test('if there is a ref already, none is created, moved or removed, and HEAD stays', async () => {
  const [from, repo] = [await source(), await bareRepository()]
  await seed(repo.dir, [{ branch: 'mine', files: { mine: 'mine' } }])
  const before = [await allRefs(repo), await git(repo.dir, 'symbolic-ref', 'HEAD')]

  expect(await takeOver(await arrivalOf(repo, from), repo, ['trunk'])).toBe(false)

  expect([await allRefs(repo), await git(repo.dir, 'symbolic-ref', 'HEAD')]).toEqual(before)
})

test(
  'one of ten concurrent take-overs succeeds, with all of its refs',
  inFullRun('Half a second of processor. `imports.test.ts` has a second run of an import.'),
  async () => {
    const [from, other, repo] = [await source(), await source(), await bareRepository()]
    await seed(other.dir, [{ branch: 'trunk', files: { other: 'other' } }])
    for (const one of [from, other]) await copyRepository(one, repo, { share: true })
    const sets = [await allRefs(from), await allRefs(other)] as const
    for (const ref of (await allRefs(repo)).keys()) await git(repo.dir, 'update-ref', '-d', ref)

    const begun = await Promise.all(Array.from({ length: 10 }, (_, index) => beginWith(repo, sets[index % 2 === 0 ? 0 : 1], [])))

    expect(begun.filter(Boolean)).toHaveLength(1)
    expect(await allRefs(repo)).toEqual(sets[begun.indexOf(true) % 2 === 0 ? 0 : 1])
  },
)

test('who begins anew closes what came before, which can then not be taken over', async () => {
  const [from, repo] = [await source(), await bareRepository()]
  const early = await arrivalOf(repo, from)

  const late = await openStagedImport(repo)

  expect([await isOpen(early), await isOpen(late)]).toEqual([false, true])
  await expect(takeOver(early, repo, [])).rejects.toThrow()
  expect((await allRefs(repo)).size).toBe(0)
})

test('at no moment are some of the refs there and others not', async () => {
  const [from, repo] = [await source(), await bareRepository()]
  const oid = await git(from.dir, 'rev-parse', 'trunk')
  await copyRepository(from, repo, { share: true })
  for (const ref of (await allRefs(repo)).keys()) await git(repo.dir, 'update-ref', '-d', ref)
  const refs = new Map(Array.from({ length: 2_000 }, (_, index) => [`refs/heads/b${index}`, oid]))

  const seen = new Set([(await allRefs(repo)).size])
  let isDone = false
  const begun = beginWith(repo, refs, []).finally(() => {
    isDone = true
  })
  while (!isDone) seen.add((await allRefs(repo)).size)
  seen.add((await allRefs(repo)).size)

  expect(await begun).toBe(true)
  expect([...seen].sort()).toEqual([0, 2_000])
})

test('what each tag leads to is noted, and a lock that git holds is waited for', async () => {
  const [from, repo, other] = [await source(), await bareRepository(), await bareRepository()]
  const peeled = `^${await git(from.dir, 'rev-parse', 'v1^{commit}')}`
  await copyRepository(from, other, { share: true })
  const refs = await allRefs(other)
  for (const ref of refs.keys()) await git(other.dir, 'update-ref', '-d', ref)
  const lock = join(repo.dir, 'packed-refs.lock')
  await writeFile(lock, '')
  const held = takeOver(await arrivalOf(repo, from), repo, [])
  while (!(await readdir(repo.dir)).some((name) => name.startsWith('arriving-refs-'))) await allRefs(repo)
  const before = (await allRefs(repo)).size
  await rm(lock)

  expect([before, await held, await beginWith(other, refs, [])]).toEqual([0, true, true])
  for (const { dir } of [repo, other]) expect(await readFile(join(dir, 'packed-refs'), 'utf8')).toContain(peeled)
  expect((await readdir(repo.dir)).filter((name) => /lock|arriving-refs/.test(name))).toEqual([])
})
