/** Answers from a repository that are kept: they never outlive what they were made of. */
import { expect, test } from 'vitest'
import { settleRefs } from '../../../test/support/fixtures/loose-objects.ts'
import { testForge } from '../../../test/support/forge.ts'
import { git, gitWriting } from '../../../test/support/git.ts'
import { listCommits } from '../../git/history/history.ts'
import { areCurrent } from '../../git/refs/ref-cache.ts'
import { pageOfRefs } from '../../git/refs/refs.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import { recordingRefs } from '../../git/repository/handles.ts'
import { type RefReads, refReads } from '../../git/repository/ref-reads.ts'
import type { Repo } from '../../git/repository/repository.ts'

async function written() {
  const forge = await testForge()
  const [maintainer, reporter] = [await forge.user(), await forge.user()]
  const project = await forge.project({ maintainer, reporter, commits: [{ message: 'First', files: { 'a.txt': 'one' } }] })
  const { dir } = project
  const first = await git(dir, 'rev-parse', 'main')
  const blob = await gitWriting(dir, 'two', 'hash-object', '-w', '--stdin')
  const tree = await gitWriting(dir, `100644 blob ${blob}\tb.txt\n`, 'mktree')
  const second = await git(dir, 'commit-tree', '-p', first, '-m', 'Second', tree)
  // As if all had been written long ago: what moved just now is read again each time.
  const settled = () => settleRefs(dir)
  await settled()
  return { forge, maintainer, reporter, project, dir, first, second, settled }
}

test('cached replies show the current state of each ref after any kind of move, and each reader only visible refs', async () => {
  const { forge, maintainer, reporter, project, dir, first, second, settled } = await written()
  const at = `/projects/${project.id}/repository`
  const seen = async (user = maintainer) => {
    const client = forge.as(user)
    const read = async (path: string) => (await client.get(`${at}/${path}`)).body
    const once = async () => ({
      tree: (await read('tree?ref=main')).map(({ name }: { name: string }) => name),
      commits: (await read('commits')).map(({ id }: { id: string }) => id),
      file: (await read('files/b.txt?ref=main')).message ?? 'there',
      branches: (await read('branches')).map((one: Record<string, unknown>) => [one.name, one.protected, one.can_push]),
    })
    const [one, other] = [await once(), await once()]
    expect(other).toEqual(one)
    return one
  }
  const before = { tree: ['a.txt'], commits: [first], file: '404 File Not Found', branches: [['main', true, true]] }
  const after = { tree: ['b.txt'], commits: [second, first], file: 'there', branches: [['main', true, true]] }

  expect(await seen()).toEqual(before)
  await git(dir, 'update-ref', 'refs/heads/main', second)
  await settled()
  expect(await seen()).toEqual(after)
  await git(dir, 'pack-refs', '--all')
  await settled()
  expect(await seen()).toEqual(after)
  await git(dir, 'update-ref', 'refs/heads/main', first)
  await git(dir, 'update-ref', 'refs/heads/topic/a', second)
  await settled()
  expect(await seen()).toEqual({ ...before, branches: [...before.branches, ['topic/a', false, true]] })
  expect((await seen(reporter)).branches).toEqual([
    ['main', true, false],
    ['topic/a', false, false],
  ])
  await git(dir, 'update-ref', '-d', 'refs/heads/topic/a')
  await forge.as(maintainer).delete(`/projects/${project.id}/protected_branches/main`)
  await settled()
  expect((await seen()).branches).toEqual([['main', false, true]])
  // A tag of that name takes the place of a branch that is gone.
  await git(dir, 'update-ref', 'refs/tags/gone', second)
  await git(dir, 'update-ref', 'refs/heads/gone', first)
  await settled()
  const gone = async () => (await forge.as(maintainer).get(`${at}/tree?ref=gone`)).body[0].name
  expect([await gone(), await gone()]).toEqual(['a.txt', 'a.txt'])
  await git(dir, 'update-ref', '-d', 'refs/heads/gone')
  expect(await gone()).toBe('b.txt')
  await forge.as(forge.root).put(`/projects/${project.id}`, { visibility: 'private' })
  await forge.as(forge.root).delete(`/projects/${project.id}/members/${reporter.id}`)
  expect((await forge.as(reporter).get(`${at}/tree?ref=main`)).status).toBe(404)
})

test('what was read is current until one of its refs moves; what depends on more is never kept', async () => {
  const { forge, project, dir, first, second, settled } = await written()
  const repo = forge.app.git.open(project.id)
  const readBy = async (read: (repo: Repo) => Promise<unknown>): Promise<RefReads> => {
    const reads = refReads()
    await read(recordingRefs(repo, reads))
    return reads
  }
  const main = await readBy((recorded) => resolveCommit(recorded, 'main'))
  const branches = await readBy((recorded) => pageOfRefs(recorded, 'heads', { order_by: 'name', sort: 'asc' }, { limit: 20, offset: 0 }))
  const byId = await readBy((recorded) => resolveCommit(recorded, first))
  const kept = () => [main, branches, byId].map((reads) => areCurrent(repo, reads))

  expect(kept()).toEqual([true, true, true])
  await git(dir, 'update-ref', 'refs/heads/other', second)
  expect(kept()).toEqual([true, false, true])
  await git(dir, 'update-ref', 'refs/heads/main', second)
  expect(kept()).toEqual([false, false, true])
  await settled()
  const unknown = [
    await readBy((recorded) => resolveCommit(recorded, first.slice(0, 8))),
    await readBy((recorded) => resolveCommit(recorded, 'HEAD')),
    await readBy((recorded) => listCommits(recorded, { from: null }, { limit: 20, offset: 0 })),
  ]
  expect(unknown.map((reads) => areCurrent(repo, reads))).toEqual([false, false, false])
})
