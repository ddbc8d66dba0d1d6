/** What a merge is worth when the server dies: done with all that follows from it, or not at all, and never locked. */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { killGitBelow } from '../support/git-processes.ts'
import { inFullRun } from '../support/tiers.ts'
import { expectMergesWhole, merge, prepareMerges } from './merge-lanes.ts'
import { startServer } from './server-process.ts'
import { query, settled } from './settled.ts'

/** Merge requests that are merged while the server is killed. */
const wanted = Number(process.env.GITSTEAD_TEST_MERGES ?? 12)
/** The server is killed after so many answers each time. */
const perRound = 5

test.skipIf(engine === 'postgres')(
  'of merges among kill -9 at random moments none is half done, and no merge request stays locked',
  {
    ...inFullRun('9 s of processor. The storm (storm.test.ts) kills a server among these writes, with the same checks.'),
    timeout: 120_000 + wanted * 5_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    const project_id = await prepareMerges(server, wanted)
    const merged = new Set<number>()
    for (let round = 0; merged.size < wanted; round += 1) {
      const open = Array.from({ length: wanted }, (_, index) => index + 1).filter((iid) => !merged.has(iid))
      let answers = 0
      const lanes = [open.filter((iid) => iid % 2 === 0), open.filter((iid) => iid % 2 === 1)].map(async (iids) => {
        for (const iid of iids) {
          const status = await merge(server, project_id, iid).catch(() => null)
          answers += 1
          if (status === null) return
          // Merged already, by a merge whose answer the kill cut off.
          if (status === 200 || status === 405) merged.add(iid)
        }
      })
      const isLast = open.length <= perRound
      if (isLast) await Promise.all(lanes)
      else {
        while (answers < perRound) await setTimeout(2)
        await setTimeout(Math.random() * 60)
      }
      await server.kill()
      if (round % 2 === 1) await killGitBelow(home)
      await Promise.all(lanes)
      server = await startServer({ home })
      await settled(home, ['merge_requests.remove_source'])
      await expectMergesWhole(home, project_id)
    }
    expect(await server.stop()).toBe(0)
    const rows = await query(home, (db) => db.selectFrom('merge_requests').select('state').execute())
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => 'merged'))
  },
)
