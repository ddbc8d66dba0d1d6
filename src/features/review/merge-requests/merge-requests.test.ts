/** The rules of merge requests, without git. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { accessLevels } from '../../../access/levels.ts'
import { inTransaction } from '../../../db/database.ts'
import { draftTitle, isDraft, readyTitle } from './drafts.ts'
import { changeMergeRequestIn, closeMergeRequestIn, findMergeRequest, reopenMergeRequestIn } from './merge-requests.ts'

let forge: Forge
let owner: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  project = await forge.project({
    owner,
    commits: [
      { message: 'First', files: { 'README.md': 'one\n' } },
      { message: 'Second', files: { 'README.md': 'two\n' }, branch: 'topic' },
    ],
  })
})

test('one merge request is open between two branches at a time', async () => {
  const actor = { user: owner, project, level: accessLevels.owner }
  const first = await forge.mergeRequest(project, owner, { source_branch: 'topic', title: 'WIP: First' })
  expect([first.iid, first.state, first.draft, first.head_oid?.length]).toEqual([1, 'opened', true, 40])
  await expect(forge.mergeRequest(project, owner, { source_branch: 'topic' })).rejects.toMatchObject({ code: 'conflict' })
  await inTransaction(forge.app.db, (tx) => closeMergeRequestIn(tx, owner.id, first))
  const second = await forge.mergeRequest(project, owner, { source_branch: 'topic' })
  const closed = await findMergeRequest(forge.app.db, { project, level: 50 }, 1, owner)
  await expect(inTransaction(forge.app.db, (tx) => reopenMergeRequestIn(tx, owner.id, closed))).rejects.toMatchObject({ code: 'conflict' })
  const changed = await inTransaction(forge.app.db, (tx) =>
    changeMergeRequestIn(tx, actor, second.id, { title: ' Draft: it ', state: 'closed' }),
  )
  expect([changed.title, changed.draft, changed.state, changed.closed_by_id]).toEqual(['Draft: it', true, 'closed', owner.id])
})

test('strangers don’t see a merge request of a private project, and nobody one of a project without the feature', async () => {
  const { iid } = await forge.mergeRequest(project, owner, { source_branch: 'topic', target_branch: 'other' })
  const guest = { project, level: accessLevels.guest }
  await expect(findMergeRequest(forge.app.db, guest, iid, await forge.user())).rejects.toMatchObject({ code: 'not_found' })
  const off = { project: { ...project, merge_requests_access_level: 'disabled' as const }, level: accessLevels.owner }
  await expect(findMergeRequest(forge.app.db, off, iid, owner)).rejects.toMatchObject({ code: 'not_found' })
})

test.each(['WIP: it', 'wip:it', '[WIP] it', 'Draft: it', '[draft] it', '(Draft) it', 'Draft: WIP: it'])(
  '%s is work in progress',
  (title) => {
    expect([isDraft(title), readyTitle(title), draftTitle(title)]).toEqual([true, 'it', title])
  },
)

test.each(['WIPE: it', 'draft it', 'it WIP:'])('%s is no work in progress', (title) => {
  expect([isDraft(title), readyTitle(title), draftTitle(title, 'WIP')]).toEqual([false, title, `WIP: ${title}`])
})
