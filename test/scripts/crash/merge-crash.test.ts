/** Merges survive a server that dies: each is done with all that follows from it, or not at all, and none stays locked. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { engine } from '../../support/database.ts'
import { git, tryGit } from '../../support/git.ts'
import { killGitBelow } from '../../support/git-processes.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { query, settled } from './settled.ts'

const chance = chanceOf('kills of merges')

/** Merge requests that are merged while the server is killed. */
const wanted = Number(process.env.GITSTEAD_TEST_MERGES ?? 12)
/** The server is killed after so many answers each time. */
const perRound = 5

test.skipIf(engine === 'postgres')(
  'of merges among kill -9 at random moments none is half done, and no merge request stays locked',
  {
    ...inFullRun('13 s of processor. crash.test.ts kills a server among pushes, writes by the API and housekeeping.'),
    timeout: 120_000 + wanted * 5_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    await prepare(server)
    const merged = new Set<number>()
    for (let round = 0; merged.size < wanted; round += 1) {
      const open = Array.from({ length: wanted }, (_, index) => index + 1).filter((iid) => !merged.has(iid))
      let answers = 0
      const lanes = [open.filter((iid) => iid % 2 === 0), open.filter((iid) => iid % 2 === 1)].map(async (iids) => {
        for (const iid of iids) {
          const status = await merge(server, iid).catch(() => null)
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
        await setTimeout(chance() * 60)
      }
      await server.kill()
      if (round % 2 === 1) killGitBelow(home)
      await Promise.all(lanes)
      server = await startServer({ home })
      await settled(home, ['merge_requests.remove_source'])
      await expectWhole(home)
    }
    expect(await server.stop()).toBe(0)
    const rows = await query(home, (db) => db.selectFrom('merge_requests').select('state').execute())
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => 'merged'))
  },
)

/** Merge requests 1 to `wanted`, each of a branch of its own that is to be removed, and closing the issue of its number. */
async function prepare(server: ServerProcess): Promise<void> {
  const post = async (path: string, body: Record<string, unknown>) => {
    const answer = await server.send('POST', path, body)
    expect([path, answer.status]).toEqual([path, 201])
  }
  await post('/projects', { name: 'merges', initialize_with_readme: true })
  for (let number = 1; number <= wanted; number += 1) {
    const branch = `topic-${number}`
    const actions = [{ action: 'create', file_path: `${branch}.txt`, content: 'text' }]
    await post('/projects/1/repository/commits', { branch, start_branch: 'main', commit_message: `Topic ${number}`, actions })
    await post('/projects/1/issues', { title: `Issue ${number}` })
    const request = { source_branch: branch, target_branch: 'main', title: `Merge ${number}`, description: `Closes #${number}` }
    await post('/projects/1/merge_requests', { ...request, remove_source_branch: true })
  }
}

async function merge(server: ServerProcess, iid: number): Promise<number> {
  const answer = await server.send('PUT', `/projects/1/merge_requests/${iid}/merge`)
  await answer.arrayBuffer()
  return answer.status
}

/** Each merge request is open and its commits are not in main, or merged by a commit of main with issue, event and branch as they should be. */
async function expectWhole(home: string): Promise<void> {
  const dir = join(home, 'repositories', hashedPath(1))
  expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
  const history = (await git(dir, 'rev-list', '--parents', 'main')).split('\n').map((line) => line.split(' '))
  const parents = new Map(history.map(([oid = '', ...others]) => [oid, others]))
  const branches = new Set((await git(dir, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n'))
  const wrong = await query(home, async (db) => {
    const rows = await db.selectFrom('merge_requests').selectAll().orderBy('iid').execute()
    const issues = await db.selectFrom('issues').select(['iid', 'state']).execute()
    const pushes = (await db.selectFrom('events').select('after_oid').execute()).map(({ after_oid }) => after_oid)
    return rows.flatMap((row) => {
      const state = {
        isContained: parents.has(row.head_oid ?? ''),
        isMergeCommit: parents.get(row.merge_commit_oid ?? '')?.[1] === row.head_oid,
        hasBranch: branches.has(row.source_branch),
        issue: issues.find(({ iid }) => iid === row.iid)?.state,
        events: pushes.filter((oid) => oid !== null && oid === row.merge_commit_oid).length,
        isUnderWay: row.merge_under_way !== null || row.state === 'locked',
      }
      const expected = row.state === 'merged' ? wholeMerged : wholeOpen
      return JSON.stringify(state) === JSON.stringify(expected) ? [] : [[row.iid, row.state, state]]
    })
  })
  expect(wrong).toEqual([])
}

const wholeMerged = { isContained: true, isMergeCommit: true, hasBranch: false, issue: 'closed', events: 1, isUnderWay: false }
const wholeOpen = { isContained: false, isMergeCommit: false, hasBranch: true, issue: 'opened', events: 0, isUnderWay: false }
