/** Writing, editing and deleting notes: what is kept, what is counted, and who may. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { issueKind } from '../../planning/issues/issues.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let stranger: TestUser
let project: TestProject
beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  project = await forge.project({ owner, reporter, visibility: 'public', files: null })
})

const at = (iid: number, rest = 'notes', id = project.id) => `/projects/${id}/issues/${iid}/${rest}`
const issueOf = async (iid: number) => (await forge.as(owner).get(`/projects/${project.id}/issues/${iid}`)).body
const bodiesOf = async (iid: number, query = '?sort=asc') =>
  (await forge.as(owner).get(at(iid, `notes${query}`))).body.map(({ body }: { body: string }) => body)

test('a note is written, edited and deleted by its author, counts on the issue, and touches it', async () => {
  const issue = await forge.issue(project, owner, { created_at: '2018-01-01T00:00:00.000Z' })
  const written = await forge.as(stranger).post(at(issue.iid), { body: 'First' })
  expect([written.status, written.body]).toMatchObject([
    201,
    { body: 'First', type: null, system: false, author: { username: stranger.username }, noteable_iid: issue.iid, commands_changes: {} },
  ])
  const seen = await issueOf(issue.iid)
  expect([seen.user_notes_count, seen.updated_at]).toEqual([1, written.body.created_at])

  const edited = await forge.as(stranger).put(at(issue.iid, `notes/${written.body.id}`), { body: 'Second' })
  expect([edited.status, edited.body.body, edited.body.created_at]).toEqual([200, 'Second', written.body.created_at])
  expect(edited.body.updated_at >= written.body.updated_at).toBe(true)
  expect((await issueOf(issue.iid)).updated_at).toBe(edited.body.updated_at)

  expect((await forge.as(stranger).delete(at(issue.iid, `notes/${written.body.id}`))).status).toBe(204)
  expect((await forge.as(stranger).get(at(issue.iid, `notes/${written.body.id}`))).body).toEqual({ message: '404 Note Not Found' })
  expect((await issueOf(issue.iid)).user_notes_count).toBe(0)
})

test('only the author and maintainers may change a note, others get 403; system notes can’t be changed', async () => {
  const issue = await forge.issue(project, owner)
  const note = await forge.note(project, issue, stranger)
  const rest = at(issue.iid, `notes/${note.id}`)
  for (const user of [reporter, await forge.user()]) {
    expect((await forge.as(user).put(rest, { body: 'Other' })).status).toBe(403)
    expect((await forge.as(user).delete(rest)).status).toBe(403)
  }
  expect((await forge.as(owner).put(rest, { body: 'Better' })).body.body).toBe('Better')
  await forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { title: 'Another' })
  const [system] = (await forge.as(owner).get(at(issue.iid, 'notes?activity_filter=only_activity'))).body
  expect(system).toMatchObject({ system: true, author: { username: owner.username } })
  expect((await forge.as(owner).put(at(issue.iid, `notes/${system.id}`), { body: 'Forged' })).status).toBe(403)
  expect((await forge.as(forge.root).delete(at(issue.iid, `notes/${system.id}`))).status).toBe(403)
})

test('a date is for owners and administrators: others write now', async () => {
  const issue = await forge.issue(project, owner)
  const created_at = '2016-03-11T03:45:40.000Z'
  for (const user of [owner, forge.root]) {
    const { body } = await forge.as(user).post(at(issue.iid), { body: 'Then', created_at: '2016-03-11T03:45:40Z' })
    expect([body.created_at, body.updated_at]).toEqual([created_at, created_at])
  }
  const { status, body } = await forge.as(reporter).post(at(issue.iid), { body: 'Now', created_at })
  expect([status, body.created_at > '2020']).toEqual([201, true])
  for (const date of ['2018-13-40', 'yesterday', '2018-02-30'])
    expect((await forge.as(owner).post(at(issue.iid), { body: 'Then', created_at: date })).body).toEqual({
      error: 'created_at is invalid',
    })
})

test('a body that is missing, blank or too long is refused, and nothing is kept', async () => {
  const issue = await forge.issue(project, owner)
  for (const [body, refusal] of [
    [{}, { error: 'body is missing' }],
    [{ body: '' }, { message: { note: ["can't be blank"] } }],
    [{ body: ' \n\t' }, { message: { note: ["can't be blank"] } }],
    [{ body: 'x'.repeat(1_048_577) }, { message: { note: ['is too long (maximum is 1048576 characters)'] } }],
    [{ body: 'a\0b' }, { error: 'body is invalid' }],
  ] as const) {
    const answer = await forge.as(stranger).post(at(issue.iid), body)
    expect([answer.status, answer.body]).toEqual([400, refusal])
  }
  expect(await bodiesOf(issue.iid)).toEqual([])
  expect((await issueOf(issue.iid)).user_notes_count).toBe(0)
  const longest = await forge.as(stranger).post(at(issue.iid), { body: '😀'.repeat(524_288) })
  expect([longest.status, longest.body.body.length]).toEqual([201, 1_048_576])
  expect((await forge.as(stranger).put(at(issue.iid, `notes/${longest.body.id}`), { body: '  ' })).status).toBe(400)
  expect((await forge.as(stranger).put(at(issue.iid, `notes/${longest.body.id}`), {})).body).toEqual({ error: 'body is missing' })
})

test('a discussion takes replies in their order, and its notes are found below it alone', async () => {
  const issue = await forge.issue(project, owner)
  const opened = await forge.as(stranger).post(at(issue.iid, 'discussions'), { body: 'Why?' })
  expect([opened.status, opened.body]).toMatchObject([201, { individual_note: false, notes: [{ body: 'Why?', type: 'DiscussionNote' }] }])
  expect(opened.body.id).toMatch(/^[0-9a-f]{40}$/)
  const replies = at(issue.iid, `discussions/${opened.body.id}/notes`)
  const reply = await forge.as(reporter).post(replies, { body: 'Because.', note_id: opened.body.notes[0].id })
  expect([reply.status, reply.body]).toMatchObject([201, { body: 'Because.', type: 'DiscussionNote' }])
  const single = await forge.as(reporter).post(at(issue.iid), { body: 'By the way' })

  const list = (await forge.as(stranger).get(at(issue.iid, 'discussions'))).body
  expect(
    list.map(({ individual_note, notes }: never) => [individual_note, (notes as Array<{ body: string }>).map(({ body }) => body)]),
  ).toEqual([
    [false, ['Why?', 'Because.']],
    [true, ['By the way']],
  ])
  expect((await forge.as(stranger).get(at(issue.iid, `discussions/${opened.body.id}`))).body).toEqual(list[0])
  expect((await forge.as(stranger).get(replies)).body).toEqual(list[0].notes)
  expect((await forge.as(stranger).get(`${replies}/${reply.body.id}`)).body).toEqual(list[0].notes[1])
  expect((await forge.as(stranger).get(`${replies}/${single.body.id}`)).status).toBe(404)

  for (const id of ['0'.repeat(40), 'nothing', 'a b', '%00'])
    expect((await forge.as(stranger).post(at(issue.iid, `discussions/${id}/notes`), { body: 'Me too' })).status).toBe(404)
  expect((await issueOf(issue.iid)).user_notes_count).toBe(3)
})

test('a single note becomes a discussion with the first reply, on everything that has notes; a note of the system takes none', async () => {
  const withCode = await forge.project({ owner, reporter, visibility: 'public' })
  const of = `/projects/${withCode.id}`
  const issue = await forge.issue(withCode, owner)
  await git(withCode.dir, 'branch', 'topic', 'main')
  const { iid } = await forge.mergeRequest(withCode, owner, { source_branch: 'topic' })
  const { body: snippet } = await forge.as(owner).post(`${of}/snippets`, { title: 'a', file_name: 'a', content: 'a', visibility: 'public' })
  for (const [path, resolvable] of [
    [`${of}/issues/${issue.iid}`, false],
    [`${of}/merge_requests/${iid}`, true],
    [`${of}/snippets/${snippet.id}`, false],
  ] as const) {
    const { body: single } = await forge.as(reporter).post(`${path}/notes`, { body: 'By the way' })
    const discussions = async () => (await forge.as(stranger).get(`${path}/discussions`)).body
    const [{ id }] = await discussions()
    const replies = await Promise.all(['One', 'Two'].map((body) => forge.as(stranger).post(`${path}/discussions/${id}/notes`, { body })))
    expect(replies.map(({ status, body }) => [status, body.type, body.resolvable])).toEqual(
      Array(2).fill([201, 'DiscussionNote', resolvable]),
    )
    const [discussion, ...others] = await discussions()
    expect([discussion.id, discussion.individual_note, discussion.notes.length, others]).toEqual([id, false, 3, []])
    expect(discussion.notes[0]).toEqual({
      ...single,
      type: 'DiscussionNote',
      resolvable,
      ...(resolvable && { resolved: false, resolved_by: null, resolved_at: null }),
    })
  }
  await forge.as(owner).put(`${of}/issues/${issue.iid}`, { state_event: 'close' })
  const [, closed] = (await forge.as(owner).get(`${of}/issues/${issue.iid}/discussions`)).body
  const refused = await forge.as(owner).post(`${of}/issues/${issue.iid}/discussions/${closed.id}/notes`, { body: 'Me too' })
  expect([refused.status, refused.body]).toEqual([400, { message: 'Discussion is an individual note.' }])
})

test('a note of a discussion is edited and deleted below it; the rest stays when its first note goes', async () => {
  const issue = await forge.issue(project, owner)
  const { body } = await forge.as(reporter).post(at(issue.iid, 'discussions'), { body: 'One' })
  const replies = at(issue.iid, `discussions/${body.id}/notes`)
  for (const text of ['Two', 'Three']) await forge.as(reporter).post(replies, { body: text })
  const first = `${replies}/${body.notes[0].id}`
  expect((await forge.as(reporter).put(first, { body: '1' })).body).toMatchObject({ body: '1', type: 'DiscussionNote' })
  for (const [sent, refusal] of [
    [{}, { error: 'body, resolved are missing, exactly one parameter must be provided' }],
    [{ body: 'x', resolved: true }, { error: 'body, resolved are mutually exclusive' }],
    [{ resolved: true }, { message: 'Note is not resolvable' }],
  ] as const) {
    const answer = await forge.as(reporter).put(first, sent)
    expect([answer.status, answer.body]).toEqual([400, refusal])
  }
  expect((await forge.as(stranger).delete(first)).status).toBe(403)
  expect((await forge.as(reporter).delete(first)).status).toBe(204)
  const [discussion, ...others] = (await forge.as(stranger).get(at(issue.iid, 'discussions'))).body
  expect([others.length, discussion.id, discussion.notes.map((note: { body: string }) => note.body)]).toEqual([
    0,
    body.id,
    ['Two', 'Three'],
  ])
})

test('a locked discussion is for members: others get 403 for a note, an edit and a quick action', async () => {
  const member = await forge.user()
  const own = await forge.project({ owner, guest: member, visibility: 'public', files: null })
  const issue = await forge.issue(own, stranger)
  const note = await forge.note(own, issue, stranger)
  await forge.as(owner).put(`/projects/${own.id}/issues/${issue.iid}`, { discussion_locked: true })
  const notes = at(issue.iid, 'notes', own.id)
  for (const body of ['Late', '/close']) expect((await forge.as(stranger).post(notes, { body })).body).toEqual({ message: '403 Forbidden' })
  expect((await forge.as(stranger).post(at(issue.iid, 'discussions', own.id), { body: 'Late' })).status).toBe(403)
  expect((await forge.as(stranger).put(`${notes}/${note.id}`, { body: 'Late' })).status).toBe(403)
  expect((await forge.as(stranger).delete(`${notes}/${note.id}`)).status).toBe(403)
  expect((await forge.as(stranger).get(`${notes}/${note.id}`)).status).toBe(200)
  expect((await forge.as(member).post(notes, { body: 'In time' })).status).toBe(201)
})

test('an internal note is seen by reporters alone, with its replies, and written by them alone', async () => {
  const issue = await forge.issue(project, stranger)
  const { body: opened } = await forge.as(reporter).post(at(issue.iid, 'discussions'), { body: 'Between us', internal: true })
  const reply = await forge.as(owner).post(at(issue.iid, `discussions/${opened.id}/notes`), { body: 'Sure' })
  expect([opened.notes[0].internal, reply.body.internal, reply.body.confidential]).toEqual([true, true, true])
  for (const name of ['internal', 'confidential'])
    expect((await forge.as(stranger).post(at(issue.iid), { body: 'Psst', [name]: true })).status).toBe(403)
  expect((await forge.as(stranger).get(at(issue.iid))).body).toEqual([])
  expect((await forge.as(stranger).get(at(issue.iid, 'discussions'))).headers['x-total']).toBe('0')
  for (const rest of [`notes/${reply.body.id}`, `discussions/${opened.id}`, `notes/${reply.body.id}/award_emoji`])
    expect((await forge.as(stranger).get(at(issue.iid, rest))).status).toBe(404)
  expect((await forge.as(reporter).get(at(issue.iid))).body).toHaveLength(2)
})

test('quick actions are dropped from the body and done after the note', async () => {
  const issue = await forge.issue(project, owner)
  const { status, body } = await forge.as(reporter).post(at(issue.iid), { body: 'Fixed.\n/close\n/estimate 1d' })
  expect([status, body.body, body.commands_changes]).toEqual([201, 'Fixed.', { state_event: 'close', time_estimate: 28_800 }])
  expect(await issueOf(issue.iid)).toMatchObject({ state: 'closed', time_stats: { time_estimate: 28_800 } })
  expect(await bodiesOf(issue.iid)).toEqual(['Fixed.', 'changed time estimate to 1d', 'closed'])
})

test('a body of quick actions alone leaves no note: 202 with what was done', async () => {
  const issue = await forge.issue(project, owner)
  for (const rest of ['notes', 'discussions']) {
    const done = await forge.as(reporter).post(at(issue.iid, rest), { body: `/title By ${rest}` })
    expect([done.status, done.body]).toEqual([
      202,
      { commands_changes: { title: `By ${rest}` }, summary: [`Changed the title to "By ${rest}".`] },
    ])
  }
  expect((await issueOf(issue.iid)).user_notes_count).toBe(0)
})

test('quick actions that the author may not use are refused with 400, and change nothing', async () => {
  const issue = await forge.issue(project, owner)
  const refused = await forge.as(stranger).post(at(issue.iid), { body: '/close\n/lock' })
  expect([refused.status, refused.body]).toEqual([
    400,
    { message: { commands_only: ['Could not apply close command.', 'Could not apply lock command.'] } },
  ])
  const kept = await forge.as(stranger).post(at(issue.iid), { body: 'Please\n/close' })
  expect([kept.status, kept.body.body]).toEqual([201, 'Please'])
  expect(await issueOf(issue.iid)).toMatchObject({ state: 'opened', user_notes_count: 1 })
})

test('two hundred notes written at once are all kept and counted', async () => {
  const issue = await forge.issue(project, owner)
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => forge.as(reporter).post(at(issue.iid), { body: `Note ${index}` })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect((await issueOf(issue.iid)).user_notes_count).toBe(200)
  expect((await forge.as(owner).get(at(issue.iid))).headers['x-total']).toBe('200')
})

test('an archived project takes no notes, and hidden issues show none', async () => {
  const own = await forge.project({ owner, reporter, visibility: 'public', files: null })
  const issue = await forge.issue(own, owner, { confidential: true })
  const note = await forge.note(own, issue, owner)
  for (const rest of ['notes', `notes/${note.id}`, 'discussions', `discussions/${note.discussion_id}`])
    expect((await forge.as(stranger).get(at(issue.iid, rest, own.id))).status).toBe(404)
  expect((await forge.as(stranger).post(at(issue.iid, 'notes', own.id), { body: 'Hello' })).status).toBe(404)
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', own.id).execute()
  expect((await forge.as(owner).post(at(issue.iid, 'notes', own.id), { body: 'Late' })).status).toBe(403)
  expect((await forge.as(owner).put(at(issue.iid, `notes/${note.id}`, own.id), { body: 'Late' })).status).toBe(403)
})

test('a note that is a single emoji awards it where notes can do so; on issues it stays a note', async () => {
  const issue = await forge.issue(project, owner)
  const plain = await forge.as(stranger).post(at(issue.iid), { body: ':+1:' })
  expect([plain.status, plain.body.body]).toEqual([201, ':+1:'])
  issueKind.awardsEmojiBodies = true
  try {
    const awarded = await forge.as(stranger).post(at(issue.iid), { body: ' :+1: ' })
    expect([awarded.status, awarded.body]).toMatchObject([
      201,
      { name: 'thumbsup', awardable_id: issue.id, user: { username: stranger.username } },
    ])
    const opened = await forge.as(stranger).post(at(issue.iid, 'discussions'), { body: ':+1:' })
    expect([opened.status, opened.body.notes[0].body]).toEqual([201, ':+1:'])
  } finally {
    issueKind.awardsEmojiBodies = false
  }
  expect(await issueOf(issue.iid)).toMatchObject({ upvotes: 1, user_notes_count: 2 })
})
