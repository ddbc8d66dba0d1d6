/** Merge requests that are merged by a server that may die at any moment, and whether each is merged with all that follows, or not at all. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { hashedPath } from '../../src/git/repository/repository.ts'
import { git, tryGit } from '../support/git.ts'
import type { ServerProcess } from './server-process.ts'
import { query } from './settled.ts'

/** A project with merge requests 1 to `wanted`, each of a branch of its own that is to be removed, and closing the issue of its number. */
export async function prepareMerges(server: ServerProcess, wanted: number): Promise<number> {
  const post = async (path: string, body: Record<string, unknown>) => {
    const answer = await server.send('POST', path, body)
    expect([path, answer.status]).toEqual([path, 201])
    return (await answer.json()) as { id: number }
  }
  const { id } = await post('/projects', { name: 'merges', initialize_with_readme: true })
  for (let number = 1; number <= wanted; number += 1) {
    const branch = `topic-${number}`
    const actions = [{ action: 'create', file_path: `${branch}.txt`, content: 'text' }]
    await post(`/projects/${id}/repository/commits`, { branch, start_branch: 'main', commit_message: `Topic ${number}`, actions })
    await post(`/projects/${id}/issues`, { title: `Issue ${number}` })
    const request = { source_branch: branch, target_branch: 'main', title: `Merge ${number}`, description: `Closes #${number}` }
    await post(`/projects/${id}/merge_requests`, { ...request, remove_source_branch: true })
  }
  return id
}

export async function merge(server: ServerProcess, project_id: number, iid: number): Promise<number> {
  const answer = await server.send('PUT', `/projects/${project_id}/merge_requests/${iid}/merge`)
  await answer.arrayBuffer()
  return answer.status
}

/** Each merge request is open and its commits are not in main, or merged by a commit of main with issue, event and branch as they should be. */
export async function expectMergesWhole(home: string, project_id: number): Promise<void> {
  const dir = join(home, 'repositories', hashedPath(project_id))
  expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
  const history = (await git(dir, 'rev-list', '--parents', 'main')).split('\n').map((line) => line.split(' '))
  const parents = new Map(history.map(([oid = '', ...others]) => [oid, others]))
  const branches = new Set((await git(dir, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n'))
  const wrong = await query(home, async (db) => {
    const rows = await db.selectFrom('merge_requests').selectAll().where('project_id', '=', project_id).orderBy('iid').execute()
    const issues = await db.selectFrom('issues').select(['iid', 'state']).where('project_id', '=', project_id).execute()
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
