/** `patch_id_sha` of versions: computed at the first read, kept, and bounded. */
import { expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'

test('a version has the id of its patch: the one of git, computed once, and none where the diff is too large', async () => {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { 'a.txt': 'one\n' } }] })
  const dir = await clone(project.dir)
  await git(dir, 'checkout', '--quiet', '-b', 'topic')
  const head = await commit(dir, { b: 'b\n' })
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  const { iid, id } = await forge.mergeRequest(project, forge.root, { source_branch: 'topic' })
  const at = `/projects/${project.id}/merge_requests/${iid}/versions`
  const list = async () => (await forge.as(forge.root).get(at)).body as Array<{ id: number; patch_id_sha: string | null }>
  const versions = () => forge.app.db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', id).execute()
  const change = (values: { additions?: number; patch_id: null }) =>
    forge.app.db.updateTable('merge_request_versions').set(values).where('merge_request_id', '=', id).execute()
  const diff = `${await git(dir, 'diff-tree', '-p', '-M', 'main', head)}\n`
  const [expected] = (await gitWriting(dir, diff, 'patch-id', '--stable')).split(' ')

  const [version] = await list()
  expect(version?.patch_id_sha).toBe(expected)
  expect((await forge.cost(list)).processes).toBe(0)
  await change({ patch_id: null })
  expect((await forge.as(forge.root).get(`${at}/${version?.id}`)).body.patch_id_sha).toBe(expected)
  expect((await versions()).map(({ patch_id }) => patch_id)).toEqual([expected])

  await change({ additions: 50_001, patch_id: null })
  const { processes } = await forge.cost(async () => expect((await list())[0]?.patch_id_sha).toBeNull())
  expect([processes, (await versions())[0]?.patch_id]).toEqual([0, ''])
})
