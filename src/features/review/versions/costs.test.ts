/** Reading versions costs a fixed number of statements and git processes, whatever their length. */
import { expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { objectCache } from '../../../git/repository/object-cache.ts'

/** A merge request of as many commits, each with a file, and of as many versions. */
async function prepared(count: number) {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { 'a.txt': 'one\n' } }] })
  const dir = await clone(project.dir)
  await git(dir, 'checkout', '--quiet', '-b', 'topic')
  await commit(dir, { f0: '0\n' })
  await git(dir, 'push', '--quiet', 'origin', 'topic')
  const { iid, id } = await forge.mergeRequest(project, forge.root, { source_branch: 'topic' })
  const at = `/projects/${project.id}/merge_requests/${iid}`
  await forge.as(forge.root).get(`${at}/versions`)
  for (let index = 1; index < count; index += 1) {
    const head_oid = await commit(dir, { [`f${index}`]: `${index}\n` })
    await git(dir, 'push', '--quiet', 'origin', 'topic')
    const row = { merge_request_id: id, user_id: null, head_oid, created_at: new Date().toISOString() }
    await forge.app.db.insertInto('pending_versions').values(row).execute()
  }
  const [{ id: version_id }] = (await forge.as(forge.root).get(`${at}/versions`)).body
  return { forge, at, project, version_id }
}

test(
  'lists of versions, commits and files cost the same for 2 and for 12, and what is read again costs no process',
  inFullRun('2 s of processor. `merge-requests.pages.test.ts` counts statements and processes of the pages that show them.'),
  async () => {
    const costs: Array<Array<string | number>> = []
    for (const count of [2, 12]) {
      const { forge, at, project, version_id } = await prepared(count)
      for (const rest of ['versions', 'commits', 'diffs', 'changes', `versions/${version_id}`]) {
        const get = async () => {
          const { status, body } = await forge.as(forge.root).get(`${at}/${rest}?per_page=100`)
          expect([rest, status, body.length ?? (body.changes ?? body.diffs).length]).toEqual([rest, 200, count])
        }
        await get()
        forge.app.git.objects.release(project.dir)
        forge.app.git.cache = objectCache(32 * 1024 * 1024)
        const { statements, processes } = await forge.cost(get)
        const again = await forge.cost(get)
        costs.push([rest.replace(/\d+/, ':id'), Math.min(statements, again.statements), processes, again.processes])
      }
    }
    const [few, many] = [costs.slice(0, 5), costs.slice(5)]
    expect(many).toEqual(few)
    // The reader of objects, the files with their patches; with the changes whether it can be merged, with a version its commits.
    expect(few.map(([, , ...processes]) => processes)).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
      [3, 0],
    ])
  },
)
