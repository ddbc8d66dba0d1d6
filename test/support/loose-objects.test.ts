/** The histories that tests write by themselves are those git would write. */
import { expect, test } from 'vitest'
import { bareRepository } from './bare.ts'
import { git, type SeedCommit, seed, seedByGit } from './git.ts'

test('the same commits have the same ids, and git finds nothing wrong with them', async () => {
  const histories: SeedCommit[][] = [
    [{ message: 'One', files: { 'README.md': '# Hello\n' } }],
    [{ files: { 'b/a': '1', 'b.txt': '2', 'b-': '1', ä: '2' } }],
    [
      { files: { 'src/lib/a.c': 'a', 'src/b.c': Buffer.from([0, 255]), empty: '' } },
      { files: { 'src/lib/a.c': null, 'src/b.c': 'b' }, time: 5 },
      { files: { c: 'c' }, branch: 'side/one', message: 'Ä\n\nTwo lines' },
      { files: {} },
    ],
  ]
  for (const history of histories) {
    const [own, theirs] = [await bareRepository(), await bareRepository()]
    const refs = await seed(own.dir, history)
    await seedByGit(theirs.dir, history)
    const listed = await git(theirs.dir, 'for-each-ref', '--format=%(refname) %(objectname)')
    expect(await git(own.dir, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(listed)
    expect(
      [...refs]
        .map((pair) => pair.join(' '))
        .sort()
        .join('\n'),
    ).toBe(listed)
    expect(await git(own.dir, 'fsck', '--strict')).toBe('')
  }
})
