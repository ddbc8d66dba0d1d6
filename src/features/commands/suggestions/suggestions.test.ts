/** Suggestions and reviews: several comments sent at once, and what they suggest applied as commits. */
import { beforeAll, expect, test } from 'vitest'
import { shape } from '../../../../test/support/fixtures/history.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { currentVersion } from '../../review/versions/versions.ts'

let forge: Forge
let author: TestUser
let reviewer: TestUser
let guest: TestUser
let project: TestProject
let requests = 0

const lines = (...words: string[]) => words.map((word) => `${word}\n`).join('')
const suggesting = (text: string, range = '') => ['```suggestion', range, '\n', text, '```'].join('')

beforeAll(async () => {
  forge = await testForge()
  author = await forge.user()
  reviewer = await forge.user()
  guest = await forge.user()
  project = await forge.project({
    developer: author,
    reporter: reviewer,
    guest,
    visibility: 'public',
    commits: [{ files: { f: lines('a', 'b', 'c') } }],
  })
})

async function prepared() {
  requests += 1
  const branch = `topic${requests}`
  await shape(project.dir, [{ branch, parents: ['main'], files: { f: lines('a', 'B', 'c', 'd', 'e') } }])
  const request = await forge.mergeRequest(project, author, { source_branch: branch })
  await currentVersion(forge.app, request)
  const base = await git(project.dir, 'rev-parse', 'main')
  const refs = { base_sha: base, start_sha: base, head_sha: await git(project.dir, 'rev-parse', branch) }
  const at = (rest: string) => `/projects/${project.id}/merge_requests/${request.iid}/${rest}`
  const position = (new_line: number) => ({ ...refs, position_type: 'text', old_path: 'f', new_path: 'f', new_line })
  const suggest = async (line: number, body: string, user = reviewer) =>
    (await forge.as(user).post(at('discussions'), { body, position: position(line) })).body.notes[0].suggestions
  return { branch, request, at, position, suggest, text: () => git(project.dir, 'show', `${branch}:f`) }
}

test('a suggestion says which lines it replaces, and is applied as a commit of who made it', async () => {
  const it = await prepared()
  const [suggestion] = await it.suggest(4, `Rather\n${suggesting('D1\nD2\n', ':-0+1')}`)
  expect(suggestion).toMatchObject({
    from_line: 4,
    to_line: 5,
    appliable: true,
    applicable: true,
    applied: false,
    from_content: 'd\ne\n',
    to_content: 'D1\nD2\n',
  })

  const applied = await forge.as(author).put(`/suggestions/${suggestion.id}/apply`, {})
  expect([applied.status, applied.body]).toMatchObject([200, { applied: true, applicable: false }])
  expect(await it.text()).toBe('a\nB\nc\nD1\nD2')
  expect(await git(project.dir, 'log', '-1', '--format=%an|%ae|%cn|%s', it.branch)).toBe(
    `${reviewer.name}|${reviewer.id}-${reviewer.username}@users.noreply.gitstead.test|${author.name}|Apply 1 suggestion(s) to 1 file(s)`,
  )
  const again = await forge.as(author).put(`/suggestions/${suggestion.id}/apply`, {})
  expect([again.status, again.body]).toEqual([400, { message: 'A suggestion is not applicable.' }])
  expect((await forge.as(author).get(it.at('versions'))).body).toHaveLength(2)
})

test('several are applied in one commit, with a message of ones own; those on the same lines are not', async () => {
  const it = await prepared()
  const [[one], [two], [three]] = [
    await it.suggest(2, suggesting('BB\n')),
    await it.suggest(5, suggesting('')),
    await it.suggest(5, suggesting('x\n', ':-3+0')),
  ]
  const refused = await forge.as(author).put('/suggestions/batch_apply', { ids: [one.id, two.id, three.id] })
  expect(refused.status).toBe(400)
  const applied = await forge.as(author).put('/suggestions/batch_apply', { ids: [one.id, two.id], commit_message: 'Both' })
  expect([applied.status, applied.body.map((each: { applied: boolean }) => each.applied)]).toEqual([200, [true, true]])
  expect(await it.text()).toBe('a\nBB\nc\nd')
  expect(await git(project.dir, 'log', '-1', '--format=%s', it.branch)).toBe('Both')
})

test('applying needs the right to push; an invisible suggestion is 404, and one whose lines have moved is refused', async () => {
  const it = await prepared()
  const [suggestion] = await it.suggest(2, suggesting('BB\n'))
  expect((await forge.as(reviewer).put(`/suggestions/${suggestion.id}/apply`, {})).status).toBe(403)
  expect((await forge.as(author).put('/suggestions/999999999/apply', {})).status).toBe(404)
  expect((await forge.as(author).put('/suggestions/batch_apply', { ids: [suggestion.id, 999_999_999] })).status).toBe(404)
  await forge.app.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', project.id).execute()
  expect((await forge.as(await forge.user()).put(`/suggestions/${suggestion.id}/apply`, {})).status).toBe(404)
  await forge.app.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute()
  await shape(project.dir, [{ branch: it.branch, parents: [it.branch], files: { g: 'x' } }])
  expect((await forge.as(author).put(`/suggestions/${suggestion.id}/apply`, {})).status).toBe(400)
})

test('an edited note has the suggestions of its new text, and a note on a removed line has none', async () => {
  const it = await prepared()
  const { body } = await forge.as(reviewer).post(it.at('discussions'), { body: suggesting('x\n'), position: it.position(2) })
  const note = it.at(`discussions/${body.id}/notes/${body.notes[0].id}`)
  expect((await forge.as(reviewer).put(note, { body: suggesting('y\n') })).body.suggestions).toMatchObject([
    { to_content: 'y\n', from_content: 'B\n' },
  ])
  const removed = { ...it.position(2), new_line: undefined, old_line: 2 }
  const other = await forge.as(reviewer).post(it.at('discussions'), { body: suggesting('x\n'), position: removed })
  expect(other.body.notes[0].suggestions).toEqual([])
})

test('two who apply the same suggestion at once make one commit', async () => {
  const it = await prepared()
  const [suggestion] = await it.suggest(2, suggesting('BB\n'))
  const answers = await Promise.all(Array.from({ length: 6 }, () => forge.as(author).put(`/suggestions/${suggestion.id}/apply`, {})))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
  expect(await git(project.dir, 'rev-list', '--count', `main..${it.branch}`)).toBe('2')
})

test('drafts are seen by their author alone, and appear together when they are published', async () => {
  const it = await prepared()
  const { body: opened } = await forge.as(author).post(it.at('discussions'), { body: 'Ready?' })
  const drafts = it.at('draft_notes')
  const first = await forge.as(reviewer).post(drafts, { note: 'On the line', position: it.position(2) })
  expect([first.status, first.body]).toMatchObject([
    201,
    {
      note: 'On the line',
      author_id: reviewer.id,
      discussion_id: null,
      position: { new_line: 2 },
      line_code: expect.stringMatching(/_3_2$/),
    },
  ])
  await forge.as(reviewer).post(drafts, { note: 'Yes', in_reply_to_discussion_id: opened.id, resolve_discussion: true })
  await forge.as(reviewer).post(drafts, { note: 'In general' })
  const { body: spare } = await forge.as(reviewer).post(drafts, { note: 'Not this' })
  expect((await forge.as(reviewer).put(`${drafts}/${first.body.id}`, { note: 'On this line' })).body.note).toBe('On this line')
  expect((await forge.as(reviewer).delete(`${drafts}/${spare.id}`)).status).toBe(204)
  expect((await forge.as(author).get(drafts)).body).toEqual([])
  expect((await forge.as(author).get(`${drafts}/${first.body.id}`)).status).toBe(404)
  expect((await forge.as(reviewer).get(drafts)).headers['x-total']).toBe('3')

  expect((await forge.as(reviewer).post(`${drafts}/bulk_publish`, {})).status).toBe(204)
  expect((await forge.as(reviewer).get(drafts)).body).toEqual([])
  const { body } = await forge.as(author).get(it.at('discussions'))
  expect(
    body.map(({ notes }: { notes: Array<{ body: string; type: string | null }> }) => notes.map((note) => [note.body, note.type])),
  ).toEqual([
    [
      ['Ready?', 'DiscussionNote'],
      ['Yes', 'DiscussionNote'],
    ],
    [['On this line', 'DiffNote']],
    [['In general', null]],
  ])
})

test('publishing a draft five times at once publishes it once, and an invalid draft is refused when it is written', async () => {
  const it = await prepared()
  const drafts = it.at('draft_notes')
  const { body: draft } = await forge.as(reviewer).post(drafts, { note: 'Once' })
  const answers = await Promise.all(Array.from({ length: 5 }, () => forge.as(reviewer).put(`${drafts}/${draft.id}/publish`, {})))
  expect(answers.every(({ status }) => status === 204 || status === 404)).toBe(true)
  const { body } = await forge.as(author).get(it.at('notes?activity_filter=only_comments'))
  expect(body).toHaveLength(1)
  for (const [sent, refusal] of [
    [{}, { error: 'note is missing' }],
    [{ note: ' ' }, { message: { note: ["can't be blank"] } }],
    [{ note: 'x', position: it.position(99) }, { message: { line_code: ["can't be blank", 'must be a valid line code'] } }],
  ] as const) {
    const refused = await forge.as(reviewer).post(drafts, sent)
    expect([refused.status, refused.body]).toEqual([400, refusal])
  }
  expect((await forge.as(reviewer).post(drafts, { note: 'x', in_reply_to_discussion_id: '0'.repeat(40) })).status).toBe(404)
})
