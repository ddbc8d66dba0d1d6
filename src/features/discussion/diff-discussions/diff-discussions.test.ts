/** Discussions on the diffs of merge requests: written on lines, answered, resolved, and followed through pushes. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { lineCode } from '../../review/diff-notes/diff-notes.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { traceNotes } from './diff-discussions.ts'

let forge: Forge
let author: TestUser
let developer: TestUser
let stranger: TestUser
let project: TestProject
let requests = 0

const lines = (...words: string[]) => words.map((word) => `${word}\n`).join('')

beforeAll(async () => {
  forge = await testForge()
  author = await forge.user()
  developer = await forge.user()
  stranger = await forge.user()
  project = await forge.project({ developer, visibility: 'public', commits: [{ files: { f: lines('a', 'b', 'c', 'd'), keep: 'x' } }] })
})

interface Prepared {
  request: MergeRequest
  branch: string
  at: (rest: string) => string
  position: (place: object) => Promise<object>
}

/** A merge request by somebody who isn't a member, that changes line 2 of `f` and adds one. */
async function prepared(fields: { discussion_locked?: boolean } = {}): Promise<Prepared> {
  requests += 1
  const branch = `topic${requests}`
  await shape(project.dir, [{ branch, parents: ['main'], files: { f: lines('a', 'B', 'c', 'd', 'e') } }])
  const request = await forge.mergeRequest(project, author, { source_branch: branch, ...fields })
  await currentVersion(forge.app, request)
  return {
    request,
    branch,
    at: (rest) => `/projects/${project.id}/merge_requests/${request.iid}/${rest}`,
    async position(place) {
      const base = await git(project.dir, 'rev-parse', 'main')
      const head_sha = await git(project.dir, 'rev-parse', branch)
      return { base_sha: base, start_sha: base, head_sha, position_type: 'text', old_path: 'f', new_path: 'f', ...place }
    },
  }
}

/** Performs the steps of a push without a git client: the branch moves, a version is created, and notes are traced. */
async function push({ request, branch }: Prepared, files: Record<string, string>) {
  const [oid] = await shape(project.dir, [{ branch, parents: [branch], files }])
  const row = { merge_request_id: request.id, user_id: developer.id, head_oid: oid as string, created_at: new Date().toISOString() }
  await forge.app.db.insertInto('pending_versions').values(row).execute()
  await currentVersion(forge.app, request)
  await traceNotes(forge.app, request.id, developer.id)
  return oid as string
}

const open = async (it: Prepared, place: object, user = developer, body = 'Why?') =>
  forge.as(user).post(it.at('discussions'), { body, position: await it.position(place) })

test('a discussion on an added line has its position, and replies have it, too', async () => {
  const it = await prepared()
  const opened = await open(it, { new_line: 2 })
  expect([opened.status, opened.body.individual_note]).toEqual([201, false])
  const position = { ...(await it.position({ new_line: 2 })), old_line: null, line_range: null }
  expect(opened.body.notes).toMatchObject([
    { type: 'DiffNote', body: 'Why?', position, resolvable: true, resolved: false, resolved_by: null, noteable_type: 'MergeRequest' },
  ])

  const reply = await forge.as(author).post(it.at(`discussions/${opened.body.id}/notes`), { body: 'Because.' })
  expect([reply.status, reply.body]).toMatchObject([201, { type: 'DiffNote', position, resolvable: true }])
  const { body } = await forge.as(stranger).get(it.at('discussions'))
  expect(body).toHaveLength(1)
  expect(body[0].notes.map((note: { body: string }) => note.body)).toEqual(['Why?', 'Because.'])
  const row = await forge.app.db.selectFrom('notes').selectAll().where('id', '=', reply.body.id).executeTakeFirstOrThrow()
  expect(row.line_code).toBe(lineCode('f', 3, 2))
})

test('a position as a form sends it is taken, and a wrong one is refused with 400', async () => {
  const it = await prepared()
  const names = Object.entries(await it.position({ old_line: 4, new_line: 4 }))
  const form = names.map(([name, value]) => [`position[${name}]`, String(value)])
  const sent = await forge
    .as(developer)
    .post(`${it.at('discussions')}?${new URLSearchParams([['body', 'x'], ...form] as [string, string][])}`, {})
  expect([sent.status, sent.body.notes?.[0].position]).toMatchObject([201, { old_line: 4, new_line: 4 }])
  for (const [place, message] of [
    [{ new_line: 9 }, { message: { line_code: ["can't be blank", 'must be a valid line code'] } }],
    [{ new_path: 'keep', old_path: 'keep', new_line: 1 }, { message: { position: ['is invalid'] } }],
    [{ position_type: 'audio' }, { error: 'position[position_type] does not have a valid value' }],
    [{ base_sha: undefined }, { error: 'position[base_sha] is missing' }],
    [{ new_line: 0 }, { error: 'position[new_line] does not have a valid value' }],
  ] as const) {
    const refused = await open(it, place)
    expect([refused.status, refused.body]).toEqual([400, message])
  }
  expect((await forge.as(stranger).get(it.at('discussions'))).body).toHaveLength(1)
})

test('the author of the merge request and developers resolve a discussion, nobody else does', async () => {
  const it = await prepared()
  const { body: opened } = await open(it, { new_line: 2 }, stranger)
  const { body: other } = await forge.as(stranger).post(it.at('discussions'), { body: 'And this?' })
  const at = it.at(`discussions/${opened.id}`)
  expect((await forge.as(stranger).put(at, { resolved: true })).status).toBe(403)
  expect((await forge.as(developer).put(at, {})).body).toEqual({ error: 'resolved is missing' })

  const resolved = await forge.as(author).put(at, { resolved: true })
  expect([resolved.status, resolved.body.notes[0]]).toMatchObject([200, { resolved: true, resolved_by: { username: author.username } }])
  expect(resolved.body.notes[0].resolved_at).toMatch(/Z$/)
  const bodies = async () => (await forge.as(stranger).get(it.at('notes?sort=asc'))).body.map((note: { body: string }) => note.body)
  expect(await bodies()).not.toContain('resolved all discussions')

  await forge.as(developer).put(it.at(`discussions/${other.id}`), { resolved: true })
  expect((await bodies()).at(-1)).toBe('resolved all discussions')
  const reopened = await forge.as(developer).put(at, { resolved: false })
  expect(reopened.body.notes[0]).toMatchObject({ resolved: false, resolved_by: null, resolved_at: null })
})

test('a single note is resolved by its author; a note that is in no discussion, or of the system, never', async () => {
  const it = await prepared()
  const { body: opened } = await forge.as(stranger).post(it.at('discussions'), { body: 'Mine' })
  const note = it.at(`discussions/${opened.id}/notes/${opened.notes[0].id}`)
  expect((await forge.as(stranger).put(note, { resolved: true })).body).toMatchObject({ resolved: true })
  expect((await forge.as(developer).put(note, { body: 'Yours' })).status).toBe(403)
  const reply = await forge.as(developer).post(it.at(`discussions/${opened.id}/notes`), { body: 'No' })
  expect(reply.body).toMatchObject({ resolvable: true, resolved: false })

  const { body: single } = await forge.as(stranger).post(it.at('notes'), { body: 'Alone' })
  expect(single).toMatchObject({ resolvable: false, type: null })
  const alone = (await forge.as(stranger).get(it.at('discussions'))).body.find(
    (each: { notes: Array<{ id: number }> }) => each.notes[0]?.id === single.id,
  )
  expect((await forge.as(developer).put(it.at(`discussions/${alone.id}`), { resolved: true })).status).toBe(403)
  const refused = await forge.as(stranger).put(it.at(`discussions/${alone.id}/notes/${single.id}`), { resolved: true })
  expect([refused.status, refused.body]).toEqual([400, { message: 'Note is not resolvable' }])
})

test('where the discussion is locked, the author who is no member resolves nothing', async () => {
  const it = await prepared({ discussion_locked: true })
  const { body: opened } = await open(it, { new_line: 2 })
  expect((await forge.as(author).put(it.at(`discussions/${opened.id}`), { resolved: true })).status).toBe(403)
  expect((await forge.as(developer).put(it.at(`discussions/${opened.id}`), { resolved: true })).status).toBe(200)
})

test('a note follows its line through a push, and one whose line changes says so and stays', async () => {
  const it = await prepared()
  const [{ body: moved }, { body: changed }] = [await open(it, { new_line: 5 }), await open(it, { new_line: 2 })]
  const before = await it.position({ new_line: 2 })
  const head = await push(it, { f: lines('0', 'a', 'BB', 'c', 'd', 'e') })

  const after = (await forge.as(stranger).get(it.at(`discussions/${moved.id}`))).body
  expect(after.notes[0].position).toMatchObject({ head_sha: head, old_line: null, new_line: 6 })
  const outdated = (await forge.as(stranger).get(it.at(`discussions/${changed.id}`))).body
  expect(outdated.notes).toMatchObject([
    { position: before, resolved: false },
    { system: true, type: 'DiffNote', resolvable: false, author: { username: developer.username } },
  ])
  const [{ body: words }] = outdated.notes.slice(1)
  expect(words).toMatch(
    /^changed this line in \[version 2 of the diff\]\(http.*\/merge_requests\/\d+\/diffs\?diff_id=\d+&start_sha=[0-9a-f]{40}\)$/,
  )
  // Another look changes nothing.
  await traceNotes(forge.app, it.request.id, developer.id)
  expect((await forge.as(stranger).get(it.at(`discussions/${changed.id}`))).body).toEqual(outdated)
})

test('where the project wants it, a push resolves what it makes outdated', async () => {
  const it = await prepared()
  const { body: opened } = await open(it, { new_line: 2 })
  const set = (on: boolean) => forge.app.db.updateTable('projects').set({ resolve_outdated_diff_discussions: on }).execute()
  await set(true)
  await push(it, { f: lines('a', 'BB', 'c', 'd', 'e') })
  await set(false)
  const { body } = await forge.as(stranger).get(it.at(`discussions/${opened.id}`))
  expect(body.notes[0]).toMatchObject({ resolved: true, resolved_by: { username: developer.username } })
  const notes = (await forge.as(stranger).get(it.at('notes?sort=asc'))).body
  expect(notes.at(-1)).toMatchObject({ body: 'resolved all discussions', system: true })
})

test('a note on a commit of the merge request is on the diff of that commit, and others of no commit of it', async () => {
  const it = await prepared()
  const head = await git(project.dir, 'rev-parse', it.branch)
  const sent = { body: 'In this commit', position: await it.position({ new_line: 2 }) }
  const { status, body } = await forge.as(developer).post(it.at('discussions'), { ...sent, commit_id: head })
  expect([status, body.notes[0].commit_id]).toEqual([201, head])
  const refused = await forge.as(developer).post(it.at('discussions'), { ...sent, commit_id: await git(project.dir, 'rev-parse', 'main') })
  expect([refused.status, refused.body]).toEqual([400, { message: { commit_id: ['is not in this merge request'] } }])
})

test('two people who resolve and reopen at once leave it one or the other, and a deleted one is 404', async () => {
  const it = await prepared()
  const { body: opened } = await open(it, { new_line: 2 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => forge.as(developer).put(it.at(`discussions/${opened.id}`), { resolved: index % 2 === 0 })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await inTransaction(forge.app.db, (tx) => tx.deleteFrom('notes').where('discussion_id', '=', opened.id).execute())
  expect((await forge.as(developer).put(it.at(`discussions/${opened.id}`), { resolved: true })).status).toBe(404)
})
