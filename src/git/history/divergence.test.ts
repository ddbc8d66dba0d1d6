/** How far branches are ahead and behind: as git counts it, for many of them by one process. */
import { expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { divergenceCounter, divergencesFrom } from './divergence.ts'

/** Histories with merges, written without working trees. */
async function history() {
  const forge = await testForge()
  const project = await forge.project()
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  const root = await git(project.dir, 'rev-parse', 'main')
  const commit = (...parents: string[]) => git(project.dir, 'commit-tree', '-m', 'x', ...parents.flatMap((parent) => ['-p', parent]), tree)
  return { forge, project, root, commit, repo: forge.app.git.open(project.id) }
}

test('counts are those of git, with merges both ways, an unrelated history and tips twice', async () => {
  const { forge, project, root, commit, repo } = await history()
  const a1 = await commit(root)
  const a2 = await commit(a1)
  const b1 = await commit(root)
  const merge = await commit(b1, a1)
  const base = await commit(merge)
  const b2 = await commit(b1, base)
  const island = await commit()
  const tips = [a2, b1, b2, root, island, base, a2, merge]
  let found = new Map()
  const { processes } = await forge.cost(async () => {
    found = await divergencesFrom(repo, base, tips)
  })
  for (const tip of tips) {
    const [behind, ahead] = (await git(project.dir, 'rev-list', '--left-right', '--count', `${base}...${tip}`)).split('\t').map(Number)
    expect([tip, found.get(tip)]).toEqual([tip, { ahead, behind }])
  }
  expect(processes).toBe(1)
  expect((await forge.cost(() => divergencesFrom(repo, base, tips))).processes).toBe(0)
})

test('counts that take too long are null, and those known by then are not', async () => {
  const { root, commit, repo } = await history()
  let base = root
  for (let index = 0; index < 20; index += 1) base = await commit(base)
  const near = await commit(base)
  const found = await divergencesFrom(repo, base, [near, await commit(root)], { max_ms: 60_000, max_commits: 10 })
  expect([...found.values()]).toEqual([{ ahead: 1, behind: 0 }, null])
})

test('the walk ends where everything that follows is common', () => {
  const counter = divergenceCounter('base', ['tip'])
  expect([counter.take('tip parent'), counter.take('base parent'), counter.isDone()]).toEqual([false, true, true])
  expect(counter.result()).toEqual([{ ahead: 1, behind: 1 }])
})
