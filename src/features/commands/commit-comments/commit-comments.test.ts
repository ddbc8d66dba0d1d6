/** Comments on commits: where they are placed, who may write them, and what else follows. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

let forge: Forge
let developer: TestUser
let project: TestProject
/** Commits by the word they are about. */
const about: Record<string, string> = {}
const at = (sha: string, id = project.id) => `/projects/${id}/repository/commits/${encodeURIComponent(sha)}/comments`
const comment = (sha: string, body: object, user = developer) => forge.as(user).post(at(sha), { note: 'Words', ...body })

const lines = (count: number, change: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join('')

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  project = await forge.project({
    developer,
    commits: [
      { message: 'root', files: { 'a.txt': lines(30), 'long.txt': lines(40, { 1: 'head' }), 'b.bin': Buffer.from([0, 1, 2, 0]) } },
      { message: 'change', files: { 'a.txt': lines(30, { 10: 'ten' }), 'b.bin': Buffer.from([0, 9, 9, 0]) } },
      { message: 'rename', files: { 'long.txt': null, 'dir/renamed.txt': lines(40, { 1: 'head', 20: 'twenty' }) } },
      { message: 'delete', files: { 'dir/renamed.txt': null } },
    ],
  })
  for (const line of (await git(project.dir, 'log', '--format=%H %s', 'main')).split('\n')) about[line.slice(41)] = line.slice(0, 40)
  await git(project.dir, 'tag', '-m', 'Annotated', 'v1', 'main')
})

test('a comment on a commit as a whole has its author and no place', async () => {
  const { status, body } = await comment('main', { note: 'ünï 😀\n\n**bold**' })
  expect([status, body]).toEqual([
    201,
    {
      note: 'ünï 😀\n\n**bold**',
      path: null,
      line: null,
      line_type: null,
      author: {
        id: developer.id,
        name: developer.name,
        username: developer.username,
        state: 'active',
        avatar_url: expect.stringMatching(/\/uploads\/-\/system\/user\/avatar\/\d+\/identicon\.v1\.png$/),
        web_url: `http://gitstead.test/${developer.username}`,
      },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ])
})

/** Expected place where it isn't the one that was sent: the API answers with the new side and the new path. */
type Told = { path?: string; line_type?: 'new' | 'old' }

test.each<[string, string, number, 'new' | 'old' | undefined, Told?]>([
  ['a line that was added', 'change a.txt', 10, 'new'],
  ['new is what a line is when nothing is said', 'change a.txt', 10, undefined],
  ['a line that was removed', 'change a.txt', 10, 'old'],
  ['a line around what changed', 'change a.txt', 13, 'new'],
  ['the same on the old side, told by its new one', 'change a.txt', 7, 'old', { line_type: 'new' }],
  ['any line of a root', 'root long.txt', 40, 'new'],
  ['a line of a renamed file', 'rename dir/renamed.txt', 20, 'new'],
  ['a line of its old side, by its new name', 'rename dir/renamed.txt', 20, 'old'],
  ['a line of its old side, by its old name', 'rename long.txt', 20, 'old', { path: 'dir/renamed.txt' }],
  ['a line of a deleted file', 'delete dir/renamed.txt', 1, 'old'],
])('it is placed on %s', async (_, where, line, line_type, told = {}) => {
  const [word = '', path] = where.split(' ')
  const { status, body } = await comment(about[word] as string, { path, line, ...(line_type && { line_type }) })
  expect([status, body]).toMatchObject([201, { note: 'Words', path, line, line_type: line_type ?? 'new', ...told }])
})

const nowhere = { path: null, line: null, line_type: null }

test.each<[string, string, object]>([
  ['a branch', 'main', { path: 'dir/renamed.txt', line: 1, line_type: 'old' }],
  ['a tag', 'v1', { path: 'dir/renamed.txt', line: 1, line_type: 'old' }],
  ['a shortened id', 'delete:10', { path: 'dir/renamed.txt', line: 1, line_type: 'old' }],
  ['a line the diff does not show', 'change', { path: 'a.txt', line: 14 }],
  ['a line before what it shows', 'change', { path: 'a.txt', line: 6, line_type: 'old' }],
  ['line zero', 'change', { path: 'a.txt', line: 0 }],
  ['a line below zero', 'change', { path: 'a.txt', line: -1 }],
  ['a line beyond all', 'change', { path: 'a.txt', line: 2 ** 40 }],
  ['a file that did not change', 'change', { path: 'long.txt', line: 1 }],
  ['a file that is not there', 'change', { path: 'nothing', line: 1 }],
  ['a folder', 'rename', { path: 'dir', line: 1 }],
  ['no line', 'change', { path: 'a.txt' }],
  ['no file', 'change', { line: 10 }],
  ['a binary file', 'change', { path: 'b.bin', line: 1 }],
  ['the new side of a deleted file', 'delete', { path: 'dir/renamed.txt', line: 1, line_type: 'new' }],
  ['the old name on the new side', 'rename', { path: 'long.txt', line: 20, line_type: 'new' }],
  ['a line of a renamed file that did not change', 'rename', { path: 'dir/renamed.txt', line: 1 }],
  ['an empty path', 'change', { path: '', line: 10 }],
  ['what git would misread', 'change', { path: '--all', line: 10 }],
  ['a path that leaves the tree', 'change', { path: '../a.txt', line: 10 }],
  ['a very long path', 'change', { path: 'x/'.repeat(100_000), line: 10 }],
])('it is on the whole commit for %s', async (_, where, place) => {
  const [word = '', chars] = where.split(':')
  const sha = (about[word] ?? word).slice(0, chars ? Number(chars) : undefined)
  const { status, body } = await comment(sha, place)
  expect([status, body]).toMatchObject([201, { note: 'Words', ...nowhere }])
})

test('the id of a tag object is no commit', async () => {
  const { status, body } = await comment(await git(project.dir, 'rev-parse', 'v1'), { path: 'dir/renamed.txt', line: 1, line_type: 'old' })
  expect([status, body]).toMatchObject([201, nowhere])
})

test('all comments on a commit are listed, oldest first, whatever the commit is called; those on others are not', async () => {
  const own = await forge.project({ commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  const notes = ['one', 'two', 'three']
  for (const note of notes) await forge.as(forge.root).post(at('main', own.id), { note })
  await forge.as(forge.root).post(at('main~1', own.id), { note: 'elsewhere' })
  for (const sha of ['main', await git(own.dir, 'rev-parse', 'main')]) {
    const { status, body, headers } = await forge.as(forge.root).get(`${at(sha, own.id)}?per_page=2`)
    expect([status, headers['x-total'], body.map(({ note }: { note: string }) => note)]).toEqual([200, '3', ['one', 'two']])
    const next = (await forge.as(forge.root).get(`${at(sha, own.id)}?per_page=2&page=2`)).body
    expect(next).toMatchObject([{ note: 'three', ...nowhere, author: { username: 'root' } }])
  }
})

test('each comment leaves its event', async () => {
  const { body } = await comment('main', { note: 'Told' })
  const { id } = await forge.app.db.selectFrom('notes').select('id').where('body', '=', 'Told').executeTakeFirstOrThrow()
  const events = await forge.app.db.selectFrom('events').selectAll().where('note_id', '=', id).where('target_type', '=', 'Note').execute()
  expect(events).toMatchObject([
    { action: 'commented', author_id: developer.id, project_id: project.id, ref: null, created_at: body.created_at },
  ])
})

test('a note that is missing, blank or too long is refused, and nothing is kept', async () => {
  const count = async () => {
    const [comments, events] = [
      await forge.app.db.selectFrom('notes').select('id').execute(),
      await forge.app.db.selectFrom('events').select('id').execute(),
    ]
    return [comments.length, events.length]
  }
  const before = await count()
  for (const [body, fieldError] of [
    [{}, { error: 'note is missing' }],
    [{ note: '' }, { message: { note: ["can't be blank"] } }],
    [{ note: ' \n\t' }, { message: { note: ["can't be blank"] } }],
    [{ note: 'x'.repeat(1_000_001) }, { message: { note: ['is too long (maximum is 1000000 characters)'] } }],
    [{ note: 'a\0b' }, { error: 'note is invalid' }],
    [{ note: 'Words', line: 'ten' }, { error: 'line is invalid' }],
    [{ note: 'Words', line_type: 'both' }, { error: 'line_type does not have a valid value' }],
  ] as const) {
    const answer = await forge.as(developer).post(at('main'), body)
    expect([answer.status, answer.body]).toEqual([400, fieldError])
  }
  expect((await forge.as(developer).post(at('main'), { note: 'x'.repeat(1_100_000) })).status).toBe(413)
  for (const sha of ['nothing', '-n', 'main..v1', '0'.repeat(40), 'main:a.txt', 'a b', 'x'.repeat(300)]) {
    for (const answer of [await comment(sha, {}), await forge.as(developer).get(at(sha))]) {
      expect([sha, answer.status, answer.body]).toEqual([sha, 404, { message: '404 Commit Not Found' }])
    }
  }
  expect(await count()).toEqual(before)
})

test('every signed-in user who sees the code may comment, also guests and strangers in public projects; not in archived ones', async () => {
  const stranger = await forge.user()
  const guest = await forge.user()
  const open = await forge.project({ visibility: 'public', guest })
  for (const user of [stranger, guest]) expect((await forge.as(user).post(at('main', open.id), { note: 'Hello' })).status).toBe(201)
  expect((await forge.anonymous.get(at('main', open.id))).body).toHaveLength(2)
  expect((await forge.anonymous.post(at('main', open.id), { note: 'Hello' })).status).toBe(401)

  const closed = await forge.project({ guest })
  for (const [user, status] of [
    [stranger, 404],
    [guest, 403],
  ] as const) {
    expect((await forge.as(user).post(at('main', closed.id), { note: 'Hello' })).status).toBe(status)
    expect((await forge.as(user).get(at('main', closed.id))).status).toBe(status)
  }
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', open.id).execute()
  expect((await forge.as(stranger).post(at('main', open.id), { note: 'Late' })).status).toBe(403)
})

test('a comment tags its commit with /tag, for those who may push tags', async () => {
  const forge = await testForge()
  const [developer, reporter] = [await forge.user(), await forge.user()]
  const project = await forge.project({ developer, reporter })
  const at = `/projects/${project.id}/repository`
  const { body: commit } = await forge.as(developer).get(`${at}/commits/main`)
  const comment = (user: TestUser, note: string) => forge.as(user).post(`${at}/commits/${commit.id}/comments`, { note })
  const tagged = await comment(developer, 'Ready\n/tag v1.0 First release')
  expect([tagged.status, tagged.body.note]).toEqual([201, 'Ready'])
  expect((await forge.as(developer).get(`${at}/tags/v1.0`)).body).toMatchObject({ message: 'First release', commit: { id: commit.id } })
  expect((await comment(developer, '/tag v2')).body.note).toMatch(new RegExp(`^tagged commit ${commit.id} to \\[\`v2\`\\]`))
  for (const [user, note] of [
    [reporter, '/tag v3'],
    [developer, '/tag v1.0'],
    [developer, '/tag bad..name'],
    [developer, '/tag'],
  ] as const) {
    const refused = await comment(user, note)
    expect([refused.status, refused.body]).toEqual([400, { message: { commands_only: ['Could not apply tag command.'] } }])
  }
  expect((await comment(reporter, 'Nice\n/tag v3')).body.note).toBe('Nice')
  const notes = (await forge.as(reporter).get(`${at}/commits/${commit.id}/comments`)).body.map(({ note }: { note: string }) =>
    note.slice(0, 13),
  )
  expect(notes).toEqual(['Ready', 'tagged commit', 'tagged commit', 'Nice'])
  expect((await forge.as(reporter).get(`${at}/tags`)).body).toHaveLength(2)
})
