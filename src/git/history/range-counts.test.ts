import { expect, test } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { type ShapedCommit, shape } from '../../../test/support/fixtures/history.ts'
import { git } from '../../../test/support/git.ts'
import { endingWith } from '../repository/handles.ts'
import { countRanges } from './range-counts.ts'

/** Lines, merges of lines, merges of merges, and a root of its own. */
const history: ShapedCommit[] = [
  { branch: 'main' },
  { branch: 'main' },
  { branch: 'a', parents: ['main'] },
  { branch: 'a' },
  { branch: 'b', parents: ['main'] },
  { branch: 'b' },
  { branch: 'ab', parents: ['a', 'b'] },
  { branch: 'ab' },
  { branch: 'c', parents: ['a'] },
  { branch: 'abc', parents: ['ab', 'c'] },
  { branch: 'island', parents: [] },
  { branch: 'all', parents: ['abc', 'island', 'main'] },
]
const branches = ['main', 'a', 'b', 'ab', 'c', 'abc', 'island', 'all']

test.each([20_000, 3])(
  'the commits of ranges are counted as git counts them, listed together (up to %i) or each for itself',
  async (max_listed) => {
    const repo = await bareRepository()
    await shape(repo.dir, history)
    const oidOf = async (branch: string) => git(repo.dir, 'rev-parse', branch)
    const ranges = []
    const expected = []
    for (const excluded of [null, 'main', 'a', 'island']) {
      for (const branch of branches) {
        ranges.push({ tip: await oidOf(branch), without: excluded && (await oidOf(excluded)) })
        expected.push(Number(await git(repo.dir, 'rev-list', '--count', branch, ...(excluded ? [`^${excluded}`] : []))))
      }
    }

    expect(await countRanges(repo, ranges, { max_count: 100, max_listed })).toEqual(expected)
    expect(await countRanges(repo, ranges, { max_count: 4, max_listed })).toEqual(expected.map((count) => Math.min(count, 4)))
  },
)

test('counting ends with its signal', async () => {
  const repo = await bareRepository()
  const [first = ''] = await shape(repo.dir, history)
  const ranges = [{ tip: first, without: null }]
  await expect(countRanges(endingWith(repo, AbortSignal.abort()), ranges, { max_count: 10 })).rejects.toThrow()
})
