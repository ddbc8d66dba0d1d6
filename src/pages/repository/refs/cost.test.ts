/** Pages of refs cost as much with many refs as with few, and on the last page as on the first. */
import { expect, test } from 'vitest'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { inFullRun, isGate } from '../../../../test/support/run/tiers.ts'

const many = Number(process.env.GITSTEAD_TEST_REFS ?? (isGate ? 300 : 2_000))

async function withRefs(forge: Forge, count: number): Promise<TestProject> {
  const maintainer = await forge.user({ password })
  const project = await forge.project({ maintainer, commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  const lines: string[] = []
  const [tip, before] = [await git(project.dir, 'rev-parse', 'main'), await git(project.dir, 'rev-parse', 'main~1')]
  for (let index = 0; index < count; index += 1) {
    const oid = index % 2 === 0 ? tip : before
    lines.push(`create refs/heads/some/${index} ${oid}`, `create refs/tags/v${index} ${oid}`)
  }
  await gitReading(project.dir, `${lines.join('\n')}\n`, 'update-ref', '--stdin')
  await git(project.dir, 'pack-refs', '--all')
  for (const name of ['some/*', 'x*']) await forge.as(forge.root).post(`/projects/${project.id}/protected_branches`, { name })
  for (const index of [0, 1, 2])
    await forge.as(forge.root).post(`/projects/${project.id}/releases`, { tag_name: `v${index}`, description: 'x' })
  return project
}

const pages = [
  'branches',
  'branches/all',
  'branches/stale?sort=name',
  'branches/all?search=some/1',
  'branches/new',
  'tags',
  'tags?sort=version_desc',
  'tags/v1',
  'tags/new',
  'releases',
  'releases/v1',
  'releases/new',
  'protected_branches',
  'settings/repository',
  'graphs/main',
  'graphs/main/charts',
]

test('each page costs a fixed number of statements and git processes, warm and after a push, whatever the number of refs', {
  ...inFullRun('4 s of processor. `pages-for-people.test.ts` counts the statements of every page.'),
  timeout: 240_000,
}, async () => {
  const forge = await testForge()
  const costs = async (count: number) => {
    const project = await withRefs(forge, count)
    const [maintainer] = await forge.app.db
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .selectAll('users')
      .where('project_id', '=', project.id)
      .orderBy('members.id', 'desc')
      .execute()
    const me = await signedIn(forge, { ...maintainer, token: '', password } as never)
    const found: Array<{ page: string; isCheap: boolean; statements: number }> = []
    for (const page of pages) {
      const address = `/${project.full_path}/${page}`
      expect([page, (await me.get(address)).status]).toEqual([page, 200])
      await git(project.dir, 'update-ref', 'refs/heads/zz', 'main')
      await git(project.dir, 'update-ref', '-d', 'refs/heads/zz')
      const first = await forge.cost(() => me.get(address))
      // Files changed just now are not trusted by the cache.
      await expect.poll(async () => (await forge.cost(() => me.get(address))).processes).toBe(0)
      const warm = await forge.cost(() => me.get(address))
      // The list of refs, a reader of objects, and what the page is about.
      found.push({ page, isCheap: first.processes <= 4, statements: warm.statements })
    }
    return found
  }
  const few = await costs(30)
  expect(few.filter(({ isCheap }) => !isCheap)).toEqual([])
  expect(await costs(many)).toEqual(few)
})

test('the last page costs what the first does', {
  ...inFullRun('Half a second of processor. `pages-for-people.test.ts` counts the statements of each page.'),
  timeout: 120_000,
}, async () => {
  const forge = await testForge()
  const project = await withRefs(forge, many)
  const reader = await signedIn(forge, forge.root)
  for (const list of ['branches/all', 'tags']) {
    const cost = async (number: number) => {
      const address = `/${project.full_path}/${list}?page=${number}`
      // Refs that were written just now are cached by work that is measured alone.
      await forge.cost(() => reader.get(address))
      return forge.cost(() => reader.get(address))
    }
    expect([list, await cost(Math.ceil(many / 20))]).toEqual([list, await cost(1)])
  }
})
