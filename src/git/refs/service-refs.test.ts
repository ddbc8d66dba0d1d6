import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { git, seed } from '../../../test/support/git.ts'
import { commitRange } from '../history/commit-range.ts'
import { keepInOrder } from '../maintenance/housekeeping.ts'
import { isServiceRef, keepAroundRef, mergeRequestHeadRef, mergeRequestMergeRef, setServiceRefs } from './service-refs.ts'

test('refs of the service are known in any case, and names that begin alike are others', () => {
  const own = ['refs/merge-requests/1/head', 'refs/Merge-Requests', 'refs/keep-around/x', 'refs/unborn']
  const others = ['refs/merge-requests-2/1', 'refs/heads/merge-requests/1', 'merge-requests/1/head', 'refs/notes/x']
  expect([...own, ...others].map(isServiceRef)).toEqual([...own.map(() => true), ...others.map(() => false)])
})

test('refs are set wherever they were, removed where they are, and all or none', async () => {
  const repo = await bareRepository()
  await seed(repo.dir, [{ files: { a: '1' } }, { files: { a: '2' } }])
  const [one, two] = [await git(repo.dir, 'rev-parse', 'main~1'), await git(repo.dir, 'rev-parse', 'main')]
  const refs = async () => git(repo.dir, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/merge-requests', 'refs/keep-around')

  await setServiceRefs(repo, new Map([[mergeRequestHeadRef(1), one]]))
  await setServiceRefs(
    repo,
    new Map([
      [mergeRequestHeadRef(1), two],
      [mergeRequestMergeRef(1), null],
      [keepAroundRef(two), two],
    ]),
  )
  const kept = `refs/keep-around/${two} ${two}`
  expect(await refs()).toBe(`${kept}\nrefs/merge-requests/1/head ${two}`)

  const missing = new Map([
    [mergeRequestHeadRef(1), one],
    [mergeRequestHeadRef(2), 'a'.repeat(40)],
  ])
  await expect(setServiceRefs(repo, missing)).rejects.toMatchObject({ code: 'git_failed' })
  expect(await refs()).toBe(`${kept}\nrefs/merge-requests/1/head ${two}`)

  await setServiceRefs(repo, new Map([[mergeRequestHeadRef(1), null]]))
  await setServiceRefs(repo, new Map())
  expect(await refs()).toBe(kept)
})

test('a kept commit survives the loss of its branch and every housekeeping', async () => {
  const repo = await bareRepository()
  await seed(repo.dir, [{ files: { a: '1' } }, { branch: 'topic', files: { b: '2' } }])
  const tip = await git(repo.dir, 'rev-parse', 'topic')
  await setServiceRefs(repo, new Map([[keepAroundRef(tip), tip]]))
  await git(repo.dir, 'update-ref', '-d', 'refs/heads/topic')
  await keepInOrder(repo, { bitmaps: true, minRepack: 'full', push_count: 1 })
  await git(repo.dir, 'prune', '--expire=now')
  await git(repo.dir, 'repack', '-a', '-d')
  expect(await git(repo.dir, 'cat-file', '-t', tip)).toBe('commit')
})

test('a range lists the newest commits up to a maximum, and counts all', async () => {
  const repo = await bareRepository()
  await seed(
    repo.dir,
    Array.from({ length: 6 }, (_, index) => ({ files: { a: String(index) } })),
  )
  const at = (name: string) => git(repo.dir, 'rev-parse', name)
  const [tip, without] = [await at('main'), await at('main~4')]

  expect(await commitRange(repo, tip, without, 10)).toEqual({
    oids: [tip, await at('main~1'), await at('main~2'), await at('main~3')],
    total: 4,
  })
  expect(await commitRange(repo, tip, without, 2)).toEqual({ oids: [tip, await at('main~1')], total: 4 })
  expect(await commitRange(repo, without, tip, 2)).toEqual({ oids: [], total: 0 })
})
