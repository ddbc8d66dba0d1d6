import { expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'

/** A project with a merge request of two commits, and one of a part of them. */
async function prepared() {
  const forge = await testForge()
  const author = await forge.user()
  const project = await forge.project({ maintainer: author, commits: [{ files: { 'a.txt': 'one\n' } }] })
  const dir = await clone(project.dir)
  await git(dir, 'checkout', '--quiet', '-b', 'part')
  const first = await commit(dir, { 'b.txt': 'b\n' }, 'First')
  await git(dir, 'checkout', '--quiet', '-b', 'whole')
  const second = await commit(dir, { 'c.txt': 'c\n' }, 'Second')
  await git(dir, 'push', '--quiet', 'origin', 'part', 'whole')
  const whole = await forge.mergeRequest(project, author, { source_branch: 'whole', title: 'Whole' })
  const part = await forge.mergeRequest(project, author, { source_branch: 'part', title: 'Part' })
  const get = async (path: string) => (await forge.as(author).get(`/projects/${project.id}/${path}`)).body
  for (const { iid } of [whole, part]) await get(`merge_requests/${iid}/versions`)
  return { forge, author, project, dir, first, second, whole, part, get }
}

test('the changes are the merge request with its files, their diffs, and whether some are left out', async () => {
  const { whole, get } = await prepared()
  const one = await get(`merge_requests/${whole.iid}`)
  const { changes, overflow, ...rest } = await get(`merge_requests/${whole.iid}/changes`)
  expect(rest).toEqual(one)
  expect(overflow).toBe(false)
  expect(changes).toEqual(
    ['b', 'c'].map((name) => ({
      old_path: `${name}.txt`,
      new_path: `${name}.txt`,
      a_mode: '0',
      b_mode: '100644',
      new_file: true,
      renamed_file: false,
      deleted_file: false,
      diff: `@@ -0,0 +1 @@\n+${name}\n`,
      too_large: false,
      collapsed: false,
      generated_file: false,
    })),
  )
  const [unified] = (await get(`merge_requests/${whole.iid}/changes?unidiff=true`)).changes
  expect(unified.diff).toBe('--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n')
})

test(
  'more files than are shown are left out, and raw diffs have more of them',
  inFullRun('Half a second of processor. `compare.test.ts` has the bound of files, the test above says that some are left out.'),
  async () => {
    const { forge, author, project, dir, get } = await prepared()
    await git(dir, 'checkout', '--quiet', '-b', 'wide')
    await commit(dir, Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`w${index}`, `${index}\n`])))
    await git(dir, 'push', '--quiet', 'origin', 'wide')
    const { iid } = await forge.mergeRequest(project, author, { source_branch: 'wide' })
    const usual = await get(`merge_requests/${iid}/changes`)
    expect([usual.changes.length, usual.overflow, usual.changes_count]).toEqual([1_000, true, '1000+'])
    const raw = await get(`merge_requests/${iid}/changes?access_raw_diffs=true`)
    expect([raw.changes.length, raw.overflow]).toEqual([1_202, false])
  },
)

test(
  'a commit has the merge requests that bring it, by any name, and none that dropped it',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const { forge, author, project, dir, first, second, whole, part, get } = await prepared()
    const of = async (sha: string, query = '') =>
      (await get(`repository/commits/${sha}/merge_requests${query}`)).map(({ iid }: { iid: number }) => iid)
    expect([await of(first), await of(second), await of('whole'), await of('main')]).toEqual([
      [part.iid, whole.iid],
      [whole.iid],
      [whole.iid],
      [],
    ])
    expect([await of(first, '?state=opened'), await of(first, '?state=merged')]).toEqual([[part.iid, whole.iid], []])

    await git(dir, 'checkout', '--quiet', '-B', 'whole', 'main')
    await commit(dir, { 'd.txt': 'd\n' })
    await git(dir, 'push', '--quiet', '--force', await forge.remote(project, author), 'whole')
    await forge.drain()
    expect([await of(first), await of(second)]).toEqual([[part.iid], []])
    expect((await forge.as(author).get(`/projects/${project.id}/repository/commits/nothing/merge_requests`)).status).toBe(404)
  },
)

test('users who may read the code but not the merge requests find none of a commit', async () => {
  const { forge, author, project, first, get } = await prepared()
  const reporter = await forge.user()
  await forge.as(author).post(`/projects/${project.id}/members`, { user_id: reporter.id, access_level: 20 })
  await forge.as(author).put(`/projects/${project.id}`, { merge_requests_access_level: 'disabled' })
  const { status, body } = await forge.as(reporter).get(`/projects/${project.id}/repository/commits/${first}/merge_requests`)
  expect([status, body]).toEqual([200, []])
  expect((await get('')).merge_requests_enabled).toBe(false)
})

test('a deployment has the merge requests merged since the one before it in its environment, squashed ones too', async () => {
  const { forge, author, project, whole, part, get } = await prepared()
  const client = forge.as(author)
  const deploy = async (environment: string, sha = 'main') =>
    (await client.post(`/projects/${project.id}/deployments`, { environment, sha, ref: 'main', status: 'success' })).body.id
  const broughtBy = async (id: number) => (await get(`deployments/${id}/merge_requests`)).map(({ iid }: { iid: number }) => iid)
  const first = await deploy('production')
  await client.put(`/projects/${project.id}/merge_requests/${part.iid}/merge`)
  const second = await deploy('production')
  await client.put(`/projects/${project.id}/merge_requests/${whole.iid}/merge`, { squash: true })
  const [third, again, elsewhere] = [await deploy('production'), await deploy('production'), await deploy('staging')]

  expect(await Promise.all([first, second, third, again, elsewhere].map(broughtBy))).toEqual([
    [],
    [part.iid],
    [whole.iid],
    [],
    [part.iid, whole.iid],
  ])
})
