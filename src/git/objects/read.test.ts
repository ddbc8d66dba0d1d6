/** Many commits are read in groups, so that a limit of bytes is a limit of what git is asked for. */
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { ReadLimitReached, readMeter } from '../../limits/read-meter.ts'
import { meteredGit, meteredRepo } from '../repository/metered.ts'
import { readCommits } from './read.ts'

/** A repository of so many commits, the names that git was asked for, and how many at once at most. */
async function watched(count: number, message: string) {
  const forge = await testForge()
  const commits = Array.from({ length: count }, (_, index) => ({ message: `${index}\n\n${message}`, files: { a: String(index) } }))
  const repo = forge.app.git.open((await forge.project({ commits })).id)
  // The latest commit is in the cache since it was created.
  const oids = (await git(repo.dir, 'rev-list', '--skip=1', 'HEAD')).split('\n')
  const seen = { asked: 0, at_once: 0 }
  let open = 0
  const watchedGit = {
    ...repo.git,
    objects: {
      ...repo.git.objects,
      async contents(...args: Parameters<typeof repo.git.objects.contents>) {
        seen.asked += 1
        open += 1
        seen.at_once = Math.max(seen.at_once, open)
        return repo.git.objects.contents(...args).finally(() => {
          open -= 1
        })
      },
    },
  }
  return { repo: { ...repo, git: watchedGit }, oids, seen }
}

test('a limit is reached before the rest of large commits is asked for', async () => {
  const { repo, oids, seen } = await watched(21, 'a long line of words\n'.repeat(20_000))
  const limited = meteredRepo(repo, meteredGit(repo.git, readMeter(2 * 1024 * 1024)))
  await expect(readCommits(limited, oids)).rejects.toThrow(ReadLimitReached)
  expect(seen.asked).toBeLessThan(8)
  const all = await readCommits(repo, oids)
  expect(all.map(({ oid }) => oid)).toEqual(oids)
  expect(seen.at_once).toBe(4)
})

test('small ones are asked for in two groups, in their order', async () => {
  const { repo, oids, seen } = await watched(51, 'short')
  expect((await readCommits(repo, oids)).map(({ oid }) => oid)).toEqual(oids)
  expect(seen).toEqual({ asked: 50, at_once: 46 })
})
