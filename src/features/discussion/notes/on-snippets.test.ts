/** Snippets of projects have notes, discussions and award emoji. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let guest: TestUser
let stranger: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest, stranger] = await Promise.all([forge.user(), forge.user(), forge.user()])
  project = await forge.project({ owner, guest, visibility: 'public', files: null })
})

const made = async (visibility = 'public') => {
  const fields = { title: 'Build', file_name: 'a', content: 'a', visibility }
  const { id } = (await forge.as(owner).post(`/projects/${project.id}/snippets`, fields)).body
  return { id, at: `/projects/${project.id}/snippets/${id}` }
}
const rowOf = (id: number) =>
  forge.app.db.selectFrom('snippets').select(['user_notes_count', 'upvotes', 'downvotes']).where('id', '=', id).executeTakeFirst()

test('a snippet is discussed in notes and discussions, counted on it', async () => {
  const { id, at } = await made()
  const note = await forge.as(stranger).post(`${at}/notes`, { body: 'One note\n/close' })
  expect([note.status, note.body.noteable_type, note.body.noteable_id, note.body.noteable_iid, note.body.body]).toEqual([
    201,
    'Snippet',
    id,
    null,
    'One note\n/close',
  ])
  const opened = await forge.as(guest).post(`${at}/discussions`, { body: 'A question' })
  expect(opened.body.notes[0]).toMatchObject({ type: 'DiscussionNote', resolvable: false })
  await forge.as(owner).post(`${at}/discussions/${opened.body.id}/notes`, { body: 'An answer' })
  const discussions = (await forge.as(owner).get(`${at}/discussions`)).body
  expect(discussions.map((one: { notes: unknown[] }) => one.notes.length)).toEqual([1, 2])
  const edited = await forge.as(stranger).put(`${at}/notes/${note.body.id}`, { body: 'Another text' })
  const foreign = await forge.as(guest).put(`${at}/notes/${note.body.id}`, { body: 'Mine' })
  expect([edited.body.body, foreign.status]).toEqual(['Another text', 403])
  expect(await rowOf(id)).toMatchObject({ user_notes_count: 3 })
  expect((await forge.as(stranger).delete(`${at}/notes/${note.body.id}`)).status).toBe(204)
  expect(await rowOf(id)).toMatchObject({ user_notes_count: 2 })
})

test('emoji are awarded to a snippet and its notes, also by a note that is nothing but one', async () => {
  const { id, at } = await made()
  const award = await forge.as(guest).post(`${at}/award_emoji`, { name: 'thumbsup' })
  expect([award.status, award.body.awardable_type, award.body.awardable_id]).toEqual([201, 'Snippet', id])
  expect((await forge.as(guest).post(`${at}/award_emoji`, { name: 'thumbsup' })).status).toBe(404)
  const byNote = await forge.as(owner).post(`${at}/notes`, { body: ':thumbsdown:' })
  expect(byNote.body.name).toBe('thumbsdown')
  expect(await rowOf(id)).toEqual({ user_notes_count: 0, upvotes: 1, downvotes: 1 })
  const note = await forge.as(owner).post(`${at}/notes`, { body: 'A text' })
  await forge.as(guest).post(`${at}/notes/${note.body.id}/award_emoji`, { name: 'tada' })
  expect((await forge.as(owner).get(`${at}/notes/${note.body.id}/award_emoji`)).body).toHaveLength(1)
  expect((await forge.as(guest).delete(`${at}/award_emoji/${award.body.id}`)).status).toBe(204)
  expect(await rowOf(id)).toMatchObject({ upvotes: 0 })
})

test('nobody reads or writes notes on a snippet that they cannot see', async () => {
  const { at } = await made('private')
  for (const path of ['/notes', '/discussions', '/award_emoji']) {
    const read = await forge.as(stranger).get(`${at}${path}`)
    expect([read.status, read.body]).toEqual([404, { message: '404 Snippet Not Found' }])
    expect((await forge.as(stranger).post(`${at}${path}`, { body: 'x', name: 'tada' })).status).toBe(404)
    expect((await forge.as(guest).get(`${at}${path}`)).status).toBe(200)
  }
})

test('notes go with their snippet, and stay when their author is deleted', async () => {
  const author = await forge.user()
  const { id, at } = await made()
  await forge.as(author).post(`${at}/notes`, { body: 'Text' })
  await forge.as(forge.root).delete(`/users/${author.id}`)
  await forge.drain()
  expect((await forge.as(owner).get(`${at}/notes`)).body).toHaveLength(1)
  expect((await forge.as(owner).delete(at)).status).toBe(204)
  expect(await forge.app.db.selectFrom('notes').select('id').where('snippet_id', '=', id).execute()).toEqual([])
})

test('comments on a snippet are activity of its project, for those who see the snippet', async () => {
  const [open, hidden] = [await made(), await made('private')]
  for (const { at } of [open, hidden]) await forge.as(owner).post(`${at}/notes`, { body: 'Interesting' })
  const seenBy = async (user: TestUser, path: string) => {
    const { body } = await forge.as(user).get(`${path}?action=commented&per_page=100`)
    return body
      .map(({ note }: { note?: { noteable_id: number } }) => note?.noteable_id)
      .filter((id: number) => id === open.id || id === hidden.id)
  }
  for (const path of [`/projects/${project.id}/events`, `/users/${owner.id}/events`]) {
    expect(await seenBy(guest, path)).toEqual([hidden.id, open.id])
    expect(await seenBy(stranger, path)).toEqual([open.id])
  }
  const [event] = (await forge.as(stranger).get(`/projects/${project.id}/events?target_type=note`)).body
  expect(event).toMatchObject({
    action_name: 'commented on',
    target_type: 'Note',
    target_title: 'Build',
    note: { noteable_type: 'Snippet', noteable_id: open.id, noteable_iid: null, body: 'Interesting' },
  })
  await forge.as(owner).put(`/projects/${project.id}`, { snippets_access_level: 'disabled' })
  expect(await seenBy(guest, `/projects/${project.id}/events`)).toEqual([])
  await forge.as(owner).put(`/projects/${project.id}`, { snippets_access_level: 'enabled' })
})
