/** Discussions of many megabytes: neither the API nor a page reads more of them than their bounds. */
import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { metered } from '../../../db/database.ts'
import type { Note } from '../../../db/tables.ts'
import { readMeter } from '../../../limits/read-meter.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import { excerptsOfDiscussions, findOpening } from './notes.ts'

const mebibyte = 1024 * 1024
const replies = 11

let forge: Forge
let author: TestUser
let project: TestProject
let large: Awaited<ReturnType<typeof largeDiscussion>>
beforeAll(async () => {
  forge = await testForge()
  author = await forge.user({ password: 'correct horse battery' })
  project = await forge.project({ reporter: author, visibility: 'public', files: null })
  large = await largeDiscussion()
})

/** A discussion of an issue, with replies of a mebibyte each. */
async function largeDiscussion() {
  const issue = await forge.issue(project, author)
  const { id, ...row } = await forge.note(project, issue, author, { body: 'Opening', discussion: 'new' })
  const reply = { ...row, opens_discussion: false, body: 'x'.repeat(mebibyte) }
  const ids: number[] = []
  for (let count = 0; count < replies; count += 1) {
    ids.push((await forge.app.db.insertInto('notes').values(reply).returning('id').executeTakeFirstOrThrow()).id)
  }
  const at = (rest: string) => `/projects/${project.id}/issues/${issue.iid}/${rest}`
  return { issue, at, discussion_id: row.discussion_id, opening: id, ids }
}

test('a discussion ends at its bound, its first note first, wherever it is read; each reply can be read by itself', async () => {
  const { at, discussion_id, ids } = large
  const by = forge.as(author)
  const single = await by.get(at(`discussions/${discussion_id}`))
  const notes = await by.get(at(`discussions/${discussion_id}/notes`))
  const listed = await by.get(at('discussions'))
  for (const found of [single.body.notes, notes.body, listed.body[0].notes]) {
    expect(found.map(({ body }: Note) => body.length)).toEqual(['Opening'.length, ...Array.from({ length: 7 }, () => mebibyte)])
  }
  const last = ids.at(-1)
  expect((await by.get(at(`discussions/${discussion_id}/notes/${last}`))).body.id).toBe(last)
})

test('for who is to see a discussion, or to reply in it, its first note is read and no other', async () => {
  const { issue, discussion_id, opening } = large
  const { db } = forge.app
  const row = await db.selectFrom('issues').selectAll().where('id', '=', issue.id).executeTakeFirstOrThrow()
  const noteable = { kind: 'issue', row, project, level: 20 } as unknown as Noteable
  expect((await findOpening(metered(db, readMeter(mebibyte)), noteable, null, discussion_id)).id).toBe(opening)
})

test('for a page no more is read than its bound: openings first, then the first replies', async () => {
  const { issue, discussion_id, ids } = large
  const other = await forge.note(project, issue, author, { body: 'y'.repeat(mebibyte), discussion: 'new' })
  const { db } = forge.app
  const row = await db.selectFrom('issues').selectAll().where('id', '=', issue.id).executeTakeFirstOrThrow()
  const noteable = { kind: 'issue', row, project, level: 20 } as unknown as Noteable
  const read = async (together: number) => {
    const limits = { together, of_note: mebibyte, of_others: 10 }
    const found = await excerptsOfDiscussions(
      metered(db, readMeter(2 * together)),
      noteable,
      null,
      [discussion_id, other.discussion_id],
      limits,
    )
    return { notes: found.notes.map(({ id, body }) => [id, body.length]), cut: [...found.cut], left: [...found.left.values()] }
  }
  const opening = expect.any(Number)
  expect(await read(mebibyte)).toEqual({
    notes: [
      [opening, 7],
      [other.id, 10],
    ],
    cut: [other.id],
    left: [replies, 0],
  })
  expect(await read(2 * mebibyte + 10_000)).toEqual({
    notes: [
      [opening, 7],
      [other.id, mebibyte],
      [ids[0], mebibyte],
    ],
    cut: [],
    left: [replies - 1, 0],
  })
})

test('a note is one of its own discussion alone', async () => {
  const { issue, at, ids } = large
  const other = await forge.note(project, issue, author, { body: 'Elsewhere', discussion: 'new' })
  const statusOf = async (id: number | undefined) =>
    (await forge.as(author).get(at(`discussions/${other.discussion_id}/notes/${id}`))).status
  expect([await statusOf(ids[0]), await statusOf(other.id)]).toEqual([404, 200])
})

test('a page shows the beginning of long notes, says how many replies it left out, and links to all of them', async () => {
  const { issue, discussion_id } = large
  const me = await signedIn(forge, author)
  const { text } = await me.get(`/${project.full_path}/issues/${issue.iid}`)
  expect(text.length).toBeLessThan(1.5 * mebibyte)
  expect(text).toMatch(/[1-9] more replies of this discussion are too long for this page\./)
  expect(text).toContain(`/api/v4/projects/${project.id}/issues/${issue.iid}/discussions/${discussion_id}"`)
  expect(text).toContain('Only the beginning is shown.')
})
