/** Creating and merging a merge request costs a fixed number of statements and git processes. */
import { expect, test } from 'vitest'
import { clone, commit } from '../../../../test/scripts/git/wire.ts'
import { engine } from '../../../../test/support/database.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { objectCache } from '../../../git/repository/object-cache.ts'

/** A merge request for each number, of as many commits. */
async function prepared(counts: number[]) {
  const forge = await testForge()
  const project = await forge.project({ commits: [{ files: { 'a.txt': 'one\n' } }] })
  const dir = await clone(project.dir)
  const at = `/projects/${project.id}/merge_requests`
  const iids: number[] = []
  for (const count of counts) {
    await git(dir, 'checkout', '--quiet', '-b', `topic-${count}`, 'origin/main')
    for (let index = 0; index < count; index += 1) await commit(dir, { [`f${count}-${index}`]: `${index}\n` })
    await git(dir, 'push', '--quiet', 'origin', `topic-${count}`)
    const { iid } = await forge.mergeRequest(project, forge.root, { source_branch: `topic-${count}` })
    await forge.as(forge.root).get(`${at}/${iid}`)
    iids.push(iid)
  }
  const forget = () => {
    forge.app.git.objects.release(project.dir)
    forge.app.git.cache = objectCache(32 * 1024 * 1024)
  }
  return { forge, at, iids, forget }
}

test(
  'one merge request costs the same for 2 commits and for 12, and its merge two processes and the reader of objects',
  inFullRun('1 s of processor. `merge-requests.pages.test.ts` counts statements and processes of its page.'),
  async () => {
    const { forge, at, iids, forget } = await prepared([1, 2, 12, 3])
    // The last one stays open: it is looked at after each merge.
    const [first, ...others] = iids.slice(0, -1)
    const merge = async (iid: number | undefined) => expect((await forge.as(forge.root).put(`${at}/${iid}/merge`)).status).toBe(200)
    const get = async (iid: number) => expect((await forge.as(forge.root).get(`${at}/${iid}`)).status).toBe(200)

    // From here on a merge needs both sides.
    await merge(first)
    const read: unknown[] = []
    const merged: unknown[] = []
    for (const iid of others) {
      await get(iid)
      forget()
      read.push(await forge.cost(() => get(iid)))
      merged.push(await forge.cost(() => merge(iid)))
    }
    expect(read[1]).toEqual(read[0])
    expect(merged[1]).toEqual(merged[0])
    // The reader of objects and the merge base; then the merge, tried as it was before, and the branch.
    // Three statements ask which approvals are required, one which webhooks want to hear of it, one which mirrors follow, two what was built
    // on it. Transactions of PostgreSQL begin with a statement, and lock what they change.
    expect([read[0], merged[0]]).toEqual([
      { statements: engine === 'postgres' ? 20 : 19, processes: 2 },
      { statements: engine === 'postgres' ? 81 : 76, processes: 2 },
    ])
  },
)
