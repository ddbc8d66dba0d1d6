/** Reviews that end with a summary: a note, whom it is for, and what the reviewer says. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let author: TestUser
let reviewer: TestUser
let stranger: TestUser
let project: TestProject
let counter = 0

beforeAll(async () => {
  forge = await testForge()
  ;[author, reviewer, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  project = await forge.project({ developer: reviewer, maintainer: author, visibility: 'public' })
})

async function request(fields: object = {}) {
  const source_branch = `topic-${++counter}`
  await git(project.dir, 'branch', source_branch, 'main')
  const { iid } = await forge.mergeRequest(project, author, { source_branch, ...fields })
  const at = `/projects/${project.id}/merge_requests/${iid}`
  return {
    at,
    draft: (user: TestUser, note: string) => forge.as(user).post(`${at}/draft_notes`, { note }),
    publish: (user: TestUser, body?: object) => forge.as(user).post(`${at}/draft_notes/bulk_publish`, body),
    notes: async (user = author) =>
      (await forge.as(user).get(`${at}/notes?activity_filter=only_comments&sort=asc`)).body.map(
        ({ body, internal }: { body: string; internal: boolean }) => [body, internal],
      ),
    reviewers: async () =>
      (await forge.as(author).get(`${at}/reviewers`)).body.map(({ user, state }: { user: { id: number }; state: string }) => [
        user.id,
        state,
      ]),
  }
}

test('all drafts appear at once, then the summary, and the reviewer has said what they think', async () => {
  const it = await request({ reviewer_ids: [reviewer.id] })
  await it.draft(reviewer, 'One')
  await it.draft(reviewer, 'Two')
  expect(await it.reviewers()).toEqual([[reviewer.id, 'unreviewed']])
  expect((await it.publish(reviewer, { note: 'In all: no', reviewer_state: 'requested_changes' })).status).toBe(204)
  expect(await it.notes()).toEqual([
    ['One', false],
    ['Two', false],
    ['In all: no', false],
  ])
  expect(await it.reviewers()).toEqual([[reviewer.id, 'requested_changes']])
  expect((await it.publish(reviewer, { reviewer_state: 'reviewed' })).status).toBe(204)
  expect(await it.reviewers()).toEqual([[reviewer.id, 'reviewed']])
  expect((await forge.as(author).get(`${it.at}/approvals`)).body.approved_by).toEqual([])
})

test('an internal summary is seen by reporters alone, and written by them alone', async () => {
  const it = await request()
  await it.draft(reviewer, 'Open')
  expect((await it.publish(reviewer, { note: 'Between us', internal: true })).status).toBe(204)
  expect(await it.notes()).toContainEqual(['Between us', true])
  expect(await it.notes(stranger)).toEqual([['Open', false]])
  await it.draft(stranger, 'Mine')
  const refused = await it.publish(stranger, { note: 'Secret', internal: true })
  expect(refused.status).toBe(403)
  expect(await it.notes()).toHaveLength(2)
})

test('who reviews unasked becomes a reviewer where they may choose them; an author and a stranger do not', async () => {
  const it = await request()
  for (const user of [author, stranger, reviewer]) {
    await it.draft(user, 'Text')
    expect((await it.publish(user, { reviewer_state: 'reviewed' })).status).toBe(204)
  }
  expect(await it.reviewers()).toEqual([[reviewer.id, 'reviewed']])
})

test('an unknown state, or a summary that is too long, publishes nothing', async () => {
  const it = await request()
  await it.draft(reviewer, 'Kept')
  expect((await it.publish(reviewer, { reviewer_state: 'approved' })).status).toBe(400)
  expect((await it.publish(reviewer, { note: 'x'.repeat(1_048_577) })).status).toBe(400)
  expect(await it.notes()).toEqual([])
  expect((await it.publish(reviewer)).status).toBe(204)
  expect(await it.notes()).toEqual([['Kept', false]])
})

test('the drafts of a review are at most 16 MiB together: its page reads all of them', async () => {
  const it = await request()
  const { body: draft } = await it.draft(reviewer, 'Short')
  const { id: _, ...row } = await forge.app.db.selectFrom('draft_notes').selectAll().where('id', '=', draft.id).executeTakeFirstOrThrow()
  await forge.app.db
    .insertInto('draft_notes')
    .values({ ...row, body: 'x'.repeat(16 * 1024 * 1024 - 10) })
    .execute()
  const longer = () => forge.as(reviewer).put(`${it.at}/draft_notes/${draft.id}`, { note: 'Not so short' })
  const tooLarge = [400, { message: { base: ['Drafts of at most 16 MiB together'] } }]
  for (const refused of [await it.draft(reviewer, 'One more'), await longer()]) expect([refused.status, refused.body]).toEqual(tooLarge)
  expect((await it.draft(author, 'One of somebody else')).status).toBe(201)
})
