/** The system notes that follow from changes of issues, and who sees those that tell of something elsewhere. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { accessLevels } from '../../../access/levels.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import { closeIssueIn } from '../../planning/issues/issues.ts'
import { createNoteIn } from './notes.ts'
import { insertSystemNote } from './system-notes.service.ts'

let forge: Forge
let owner: TestUser
let project: TestProject
beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ username: 'owner' })
  project = await forge.project({ owner, visibility: 'public', files: null })
})

const notesAt = (issue: Issue, id = project.id) => `/projects/${id}/issues/${issue.iid}/notes?sort=asc`
const bodiesOf = async (issue: Issue, user = owner) =>
  (await forge.as(user).get(notesAt(issue))).body.map(({ body }: { body: string }) => body)
const change = (issue: Issue, body: object) => forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, body)

test('each change leaves its note, by who made it, in one order', async () => {
  const issue = await forge.issue(project, owner, { title: 'Old', description: 'Text' })
  const { body: milestone } = await forge.as(owner).post(`/projects/${project.id}/milestones`, { title: 'One' })
  await change(issue, {
    title: 'New',
    description: 'Texts',
    milestone_id: milestone.id,
    due_date: '2018-09-20',
    assignee_ids: [owner.id],
    discussion_locked: true,
    confidential: true,
    labels: 'bug',
  })
  expect(await bodiesOf(issue)).toEqual([
    'changed title from **{-Old-}** to **{+New+}**',
    'changed the description',
    'locked this issue',
    `changed milestone to %${milestone.iid}`,
    'changed due date to September 20, 2018',
    'assigned to @owner',
    'made the issue confidential',
  ])
  const notes = (await forge.as(owner).get(notesAt(issue))).body
  expect(
    new Set(
      notes.map((note: { system: boolean; author: { id: number }; resolvable: boolean }) =>
        [note.system, note.author.id, note.resolvable].join(),
      ),
    ),
  ).toEqual(new Set([`true,${owner.id},false`]))
  expect((await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}`)).body.user_notes_count).toBe(0)
})

test('closing and reopening are told once each, and what was so already is not told', async () => {
  const issue = await forge.issue(project, owner)
  for (const state_event of ['close', 'close', 'reopen', 'reopen']) await change(issue, { state_event })
  await change(issue, { title: issue.title })
  expect(await bodiesOf(issue)).toEqual(['closed', 'reopened'])
})

test('a commit that closes an issue is named; one of a hidden project to its readers alone', async () => {
  const [issue, other] = [await forge.issue(project, owner), await forge.issue(project, owner)]
  const hidden = await forge.project({ owner, files: null })
  const commit_oid = 'abcdef1234'.repeat(4)
  await inTransaction(forge.app.db, (tx) => closeIssueIn(tx, owner.id, issue, { commit_oid }))
  await inTransaction(forge.app.db, (tx) => closeIssueIn(tx, owner.id, other, { commit_oid, project: hidden }))
  const stranger = await forge.user()
  expect(await bodiesOf(issue, stranger)).toEqual([`closed via commit ${commit_oid}`])
  expect(await bodiesOf(other)).toEqual([`closed via commit ${hidden.path}@${commit_oid}`])
  expect(await bodiesOf(other, stranger)).toEqual([])
})

test('a duplicate is told on both issues, and on each to those who see the other', async () => {
  const issue = await forge.issue(project, owner)
  const secret = await forge.issue(project, owner, { confidential: true })
  const stranger = await forge.user()
  await inTransaction(forge.app.db, (tx) => closeIssueIn(tx, owner.id, issue, { duplicate_of_id: secret.id }))
  expect(await bodiesOf(issue)).toEqual([`marked this issue as a duplicate of #${secret.iid}`, 'closed'])
  expect(await bodiesOf(secret)).toEqual([`marked #${issue.iid} as a duplicate of this issue`])
  const seen = await forge.as(stranger).get(notesAt(issue))
  expect([seen.body.length, seen.headers['x-total']]).toEqual([1, '1'])
  const [hidden] = await forge.app.db.selectFrom('notes').select(['id', 'discussion_id']).where('about_issue_id', '=', secret.id).execute()
  for (const rest of [`notes/${hidden?.id}`, `discussions/${hidden?.discussion_id}`])
    expect((await forge.as(stranger).get(`/projects/${project.id}/issues/${issue.iid}/${rest}`)).status).toBe(404)
  const discussions = await forge.as(stranger).get(`/projects/${project.id}/issues/${issue.iid}/discussions`)
  expect([discussions.body.length, discussions.headers['x-total']]).toEqual([1, '1'])
})

test('lists of notes and discussions cost the same, however long they are', async () => {
  const issue = await forge.issue(project, owner)
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const [notes, discussions] = [() => forge.as(owner).get(`${at}/notes`), () => forge.as(owner).get(`${at}/discussions`)]
  const first = await forge.note(project, issue, owner, { discussion: 'new' })
  const short = [await forge.cost(notes), await forge.cost(discussions)]
  const others = await Promise.all([1, 2, 3].map(() => forge.user()))
  for (const author of others) {
    await forge.note(project, issue, author, { discussion: 'new' })
    await inTransaction(forge.app.db, (tx) =>
      createNoteIn(
        tx,
        author,
        { kind: 'issue', row: issue, project, level: accessLevels.guest },
        { body: 'Yes', discussion: { id: first.discussion_id } },
      ),
    )
    await inTransaction(forge.app.db, (tx) =>
      insertSystemNote(tx, {
        noteable: { kind: 'issue', row: issue },
        author_id: author.id,
        action: 'cross_reference',
        body: 'mentioned',
        about: { kind: 'issue', id: issue.id },
      }),
    )
  }
  expect([await forge.cost(notes), await forge.cost(discussions)]).toEqual(short)
})
