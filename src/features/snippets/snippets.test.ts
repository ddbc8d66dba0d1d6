/** Snippets of people and of projects: who sees and changes them, what they may hold, and their files. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import type { Visibility } from '../../db/tables.ts'

let forge: Forge
let owner: TestUser
let reporter: TestUser
let guest: TestUser
let stranger: TestUser
let external: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[owner, reporter, guest, stranger] = await Promise.all([forge.user(), forge.user(), forge.user(), forge.user()])
  external = await forge.user({ external: true })
  project = await forge.project({ owner, reporter, guest, visibility: 'public', files: null })
})

const fields = { title: 'How to build', file_name: 'build.sh', content: 'make all\n' }
const personal = async (author: TestUser, sent: object = {}) => (await forge.as(author).post('/snippets', { ...fields, ...sent })).body
const inProject = async (author: TestUser, sent: object = {}, place = project) =>
  (await forge.as(author).post(`/projects/${place.id}/snippets`, { visibility: 'public', ...fields, ...sent })).body

test('a snippet is created, read, changed and deleted by its author', async () => {
  const created = await forge.as(owner).post('/snippets', { ...fields, description: 'Of *this*', visibility: 'private' })
  const { id } = created.body
  expect([created.status, created.body]).toEqual([
    201,
    {
      id,
      title: 'How to build',
      file_name: 'build.sh',
      description: 'Of *this*',
      visibility: 'private',
      author: expect.objectContaining({ id: owner.id, username: owner.username }),
      expires_at: null,
      created_at: expect.any(String),
      updated_at: created.body.created_at,
      project_id: null,
      web_url: `http://gitstead.test/snippets/${id}`,
      raw_url: `http://gitstead.test/snippets/${id}/raw`,
      files: [{ path: 'build.sh', raw_url: `http://gitstead.test/snippets/${id}/raw/main/build.sh` }],
      imported: false,
      imported_from: 'none',
    },
  ])
  expect((await forge.as(owner).get(`/snippets/${id}`)).body).toEqual(created.body)
  const raw = await forge.as(owner).get(`/snippets/${id}/raw`)
  expect([raw.status, raw.text, raw.headers['content-type']]).toEqual([200, 'make all\n', 'text/plain; charset=utf-8'])
  const changed = await forge.as(owner).put(`/snippets/${id}`, { title: 'Build', content: 'make\n', file_name: 'Makefile' })
  expect(changed.body).toMatchObject({ title: 'Build', file_name: 'Makefile', description: 'Of *this*', visibility: 'private' })
  expect((await forge.as(owner).get(`/snippets/${id}/raw`)).text).toBe('make\n')
  expect((await forge.as(owner).delete(`/snippets/${id}`)).status).toBe(204)
  const gone = await forge.as(owner).get(`/snippets/${id}`)
  expect([gone.status, gone.body]).toEqual([404, { message: '404 Snippet Not Found' }])
})

test.each<[Visibility, number[]]>([
  ['private', [200, 404, 404, 404, 200]],
  ['internal', [200, 200, 404, 404, 200]],
  ['public', [200, 200, 200, 200, 200]],
])('a %s personal snippet is for those to whom it is open, its author and administrators', async (visibility, expected) => {
  const { id } = await personal(owner, { visibility })
  const callers = [forge.as(owner), forge.as(stranger), forge.as(external), forge.anonymous, forge.as(forge.root)]
  for (const path of [`/snippets/${id}`, `/snippets/${id}/raw`, `/snippets/${id}/files/main/build.sh/raw`])
    expect(await Promise.all(callers.map(async (caller) => (await caller.get(path)).status))).toEqual(expected)
})

test('only the author and administrators change and delete a personal snippet, and nobody without signing in', async () => {
  const { id } = await personal(owner, { visibility: 'public' })
  expect((await forge.as(stranger).put(`/snippets/${id}`, { title: 'Mine' })).status).toBe(403)
  expect((await forge.as(stranger).delete(`/snippets/${id}`)).status).toBe(403)
  expect((await forge.anonymous.put(`/snippets/${id}`, { title: 'Mine' })).status).toBe(401)
  expect((await forge.as(forge.root).put(`/snippets/${id}`, { title: 'Moderated' })).body.title).toBe('Moderated')
  const hidden = await personal(owner, { visibility: 'private' })
  expect((await forge.as(stranger).delete(`/snippets/${hidden.id}`)).status).toBe(404)
})

test('external users have no snippets of their own', async () => {
  expect((await forge.as(external).post('/snippets', fields)).status).toBe(403)
})

test('lists show the newest first: own ones, public ones, and all that one may see', async () => {
  const author = await forge.user()
  const ids: number[] = []
  for (const visibility of ['private', 'internal', 'public']) ids.push((await personal(author, { visibility })).id)
  const own = await inProject(reporter, { visibility: 'private' })
  const [hidden, internal, open] = ids
  const seen = async (caller: ReturnType<Forge['as']>, path: string) =>
    (await caller.get(`${path}?per_page=100`)).body
      .map(({ id }: { id: number }) => id)
      .filter((id: number) => [...ids, own.id].includes(id))
  expect(await seen(forge.as(author), '/snippets')).toEqual([open, internal, hidden])
  expect(await seen(forge.as(stranger), '/snippets/public')).toEqual([open])
  expect(await seen(forge.anonymous, '/snippets/public')).toEqual([open])
  expect(await seen(forge.as(stranger), '/snippets/all')).toEqual([open, internal])
  expect(await seen(forge.as(external), '/snippets/all')).toEqual([open])
  expect(await seen(forge.as(guest), '/snippets/all')).toEqual([own.id, open, internal])
  expect(await seen(forge.as(forge.root), '/snippets/all')).toEqual([own.id, open, internal, hidden])
  expect((await forge.anonymous.get('/snippets/all')).status).toBe(401)
  const { created_at } = (await forge.as(author).get(`/snippets/${internal}`)).body
  // They may have been created in one millisecond.
  const later = new Date(Date.parse(created_at) + 1).toISOString()
  await forge.app.db
    .updateTable('snippets')
    .set({ created_at: later })
    .where('id', '=', open as number)
    .execute()
  const before = (await forge.as(author).get(`/snippets?created_before=${created_at}`)).body.map(({ id }: { id: number }) => id)
  expect(before).toContain(hidden)
  expect(before).not.toContain(open)
})

test('a snippet of a project is for its members, and for others as open as both are', async () => {
  const callers = [forge.as(guest), forge.as(stranger), forge.as(external)]
  const statuses = async (place: TestProject, visibility: Visibility) => {
    const { id } = await inProject(owner, { visibility }, place)
    const path = `/projects/${place.id}/snippets`
    const found = await Promise.all(callers.map(async (caller) => (await caller.get(`${path}/${id}`)).status))
    const listed = await Promise.all(
      callers.map(async (caller) => {
        const { body } = await caller.get(`${path}?per_page=100`)
        return Array.isArray(body) && body.some((one: { id: number }) => one.id === id) ? 200 : 404
      }),
    )
    expect(listed).toEqual(found)
    const all = await Promise.all(callers.map(async (caller) => (await caller.get(`/snippets/${id}`)).status))
    expect(all).toEqual(found)
    return found
  }
  expect(await statuses(project, 'private')).toEqual([200, 404, 404])
  expect(await statuses(project, 'internal')).toEqual([200, 200, 404])
  expect(await statuses(project, 'public')).toEqual([200, 200, 200])
  const hidden = await forge.project({ owner, guest, files: null })
  expect(await statuses(hidden, 'public')).toEqual([200, 404, 404])
})

test('a project whose snippets are off or for members hides them', async () => {
  const place = await forge.project({ owner, guest, visibility: 'public', files: null })
  const { id } = await inProject(owner, { visibility: 'public' }, place)
  const path = `/projects/${place.id}/snippets`
  const statuses = () =>
    Promise.all(
      [owner, guest, stranger].flatMap((user) =>
        [path, `${path}/${id}`, `/snippets/${id}`].map(async (at) => (await forge.as(user).get(at)).status),
      ),
    )
  const level = (snippets_access_level: string) => forge.as(owner).put(`/projects/${place.id}`, { snippets_access_level })
  await level('private')
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 403, 404, 404])
  await level('disabled')
  expect(await statuses()).toEqual([403, 404, 404, 403, 404, 404, 403, 404, 404])
  expect((await forge.as(forge.root).get('/snippets/all?per_page=100')).body.map((one: { id: number }) => one.id)).not.toContain(id)
  expect((await forge.as(owner).post(path, { ...fields, visibility: 'public' })).status).toBe(403)
})

test('reporters create snippets in a project; its maintainers and their authors change them, while it is not archived', async () => {
  const place = await forge.project({ owner, reporter, guest, files: null })
  const path = `/projects/${place.id}/snippets`
  expect((await forge.as(guest).post(path, { ...fields, visibility: 'private' })).status).toBe(403)
  const made = await forge.as(reporter).post(path, { title: 'One', file_name: 'a', code: 'text', visibility: 'private' })
  expect([made.status, made.body.project_id, made.body.web_url]).toEqual([
    201,
    place.id,
    `http://gitstead.test/${place.full_path}/snippets/${made.body.id}`,
  ])
  expect((await forge.as(guest).put(`${path}/${made.body.id}`, { title: 'Two' })).status).toBe(403)
  expect((await forge.as(reporter).put(`${path}/${made.body.id}`, { code: 'other' })).status).toBe(200)
  expect((await forge.as(guest).get(`${path}/${made.body.id}/raw`)).text).toBe('other')
  expect((await forge.as(owner).put(`${path}/${made.body.id}`, { title: 'Three' })).body.title).toBe('Three')
  await forge.as(owner).post(`/projects/${place.id}/archive`)
  for (const at of [`${path}/${made.body.id}`, `/snippets/${made.body.id}`]) {
    expect((await forge.as(owner).put(at, { title: 'Four' })).status).toBe(403)
    expect((await forge.as(owner).delete(at)).status).toBe(403)
  }
  expect((await forge.as(owner).post(path, { ...fields, visibility: 'private' })).status).toBe(403)
})

test('a snippet of another project is not found', async () => {
  const other = await forge.project({ owner, files: null })
  const { id } = await inProject(owner, {}, other)
  expect((await forge.as(owner).get(`/projects/${project.id}/snippets/${id}`)).status).toBe(404)
  const own = await personal(owner)
  expect((await forge.as(owner).get(`/projects/${project.id}/snippets/${own.id}`)).status).toBe(404)
})

test('a snippet has up to ten files, changed one by one', async () => {
  const files = [
    { file_path: 'a.rb', content: 'puts 1' },
    { file_path: 'docs/ä b.md', content: '# Hello' },
  ]
  const made = await forge.as(owner).post('/snippets', { title: 'Two files', files })
  const { id } = made.body
  expect([made.body.file_name, made.body.files.map(({ path }: { path: string }) => path)]).toEqual(['a.rb', ['a.rb', 'docs/ä b.md']])
  expect(made.body.files[1].raw_url).toBe(`http://gitstead.test/snippets/${id}/raw/main/docs/%C3%A4%20b.md`)
  const raw = (path: string, ref = 'main') => forge.as(owner).get(`/snippets/${id}/files/${ref}/${encodeURIComponent(path)}/raw`)
  expect((await raw('docs/ä b.md')).text).toBe('# Hello')
  expect([(await raw('c')).status, (await raw('a.rb', 'feature')).status]).toEqual([404, 404])
  const single = await forge.as(owner).put(`/snippets/${id}`, { content: 'x' })
  expect([single.status, single.body]).toEqual([
    400,
    { error: 'to update snippets with multiple files, you must use the `files` parameter' },
  ])
  const changed = await forge.as(owner).put(`/snippets/${id}`, {
    files: [
      { action: 'move', previous_path: 'a.rb', file_path: 'b.rb' },
      { action: 'update', file_path: 'docs/ä b.md', content: '# Bye' },
      { action: 'create', file_path: 'c', content: 'new' },
    ],
  })
  expect(changed.body.files.map(({ path }: { path: string }) => path)).toEqual(['b.rb', 'docs/ä b.md', 'c'])
  expect([(await raw('b.rb')).text, (await raw('docs/ä b.md')).text]).toEqual(['puts 1', '# Bye'])
  const fewer = await forge.as(owner).put(`/snippets/${id}`, { files: [{ action: 'delete', file_path: 'b.rb' }] })
  expect(fewer.body).toMatchObject({ file_name: 'docs/ä b.md', files: [{ path: 'docs/ä b.md' }, { path: 'c' }] })
})

test.each<[object, object]>([
  [{ files: [] }, { message: { files: ["can't be blank"] } }],
  [
    { files: Array.from({ length: 11 }, (_, index) => ({ file_path: `${index}`, content: 'x' })) },
    { message: { files: ['are too many (maximum is 10)'] } },
  ],
  [
    {
      files: [
        { file_path: 'a', content: '1' },
        { file_path: 'a', content: '2' },
      ],
    },
    { message: { files: ['have the same name'] } },
  ],
  ...['../a', 'a/../b', '/a', 'a//b', '.', 'a\nb'].map((file_path): [object, object] => [
    { files: [{ file_path, content: 'x' }] },
    { message: { file_name: ['is invalid'] } },
  ]),
  [{ file_name: 'a'.repeat(256), content: 'x' }, { message: { file_name: ['is too long (maximum is 255 characters)'] } }],
  [{ file_name: 'a', content: ' \n' }, { message: { content: ["can't be blank"] } }],
  [{ file_name: 'a', content: 'caf\udce9' }, { message: { content: ['is not text in Unicode'] } }],
  [{ file_name: 'a' }, { error: 'content is missing' }],
  [{ content: 'a' }, { error: 'file_name is missing' }],
  [{}, { error: 'content, files are missing, exactly one parameter must be provided' }],
  [{ content: 'a', files: [{ file_path: 'a', content: 'x' }] }, { error: 'files, content are mutually exclusive' }],
  [{ file_name: 'a', content: 'a\0b' }, { error: 'content is invalid' }],
  [{ file_name: 'a', content: 'a', visibility: 'secret' }, { error: 'visibility does not have a valid value' }],
])('a snippet of %j is refused', async (sent, body) => {
  const answer = await forge.as(owner).post('/snippets', { title: 'Bad', ...sent })
  expect([answer.status, answer.body]).toEqual([400, body])
})

test('a title is required, and has up to 255 characters', async () => {
  const post = (title: string) => forge.as(owner).post('/snippets', { ...fields, title })
  expect((await post(' ')).body).toEqual({ message: { title: ["can't be blank"] } })
  expect((await post('a'.repeat(256))).body).toEqual({ message: { title: ['is too long (maximum is 255 characters)'] } })
  const { body: snippet } = await post('Titled')
  const untitled = await forge.as(owner).put(`/snippets/${snippet.id}`, { title: null })
  expect([untitled.status, untitled.body]).toEqual([400, { message: { title: ["can't be blank"] } }])
})

test('contents are up to 1 MB, of all files together', async () => {
  const half = 'ä'.repeat(256 * 1024)
  const files = [half, half].map((content, index) => ({ file_path: `${index}`, content }))
  const full = await forge.as(owner).post('/snippets', { title: 'Full', files })
  expect(full.status).toBe(201)
  const raw = await forge.as(owner).get(`/snippets/${full.body.id}/raw`)
  expect(raw.text).toBe(half)
  const over = await forge
    .as(owner)
    .put(`/snippets/${full.body.id}`, { files: [{ action: 'update', file_path: '1', content: `${half}x` }] })
  expect([over.status, over.body]).toEqual([400, { message: { content: ['is too long (1048577 bytes). The maximum size is 1 MB.'] } }])
  expect((await forge.as(owner).get(`/snippets/${full.body.id}/files/main/1/raw`)).text).toBe(half)
})

test('a file sent without a name is given one', async () => {
  expect((await personal(owner, { file_name: '' })).file_name).toBe('snippetfile1.txt')
})

test('visibility levels that are restricted are for administrators', async () => {
  const fresh = await forge.user()
  const { id } = await personal(fresh, { visibility: 'internal' })
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['public'] })
  const created = await forge.as(fresh).post('/snippets', { ...fields, visibility: 'public' })
  const changed = await forge.as(fresh).put(`/snippets/${id}`, { visibility: 'public' })
  const byRoot = await forge.as(forge.root).post('/snippets', { ...fields, visibility: 'public' })
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: [] })
  const refusal = { message: { visibility: ['public has been restricted by your administrator'] } }
  expect([created.status, created.body, changed.body, byRoot.status]).toEqual([400, refusal, refusal, 201])
})

test('changes of different files at once are all kept', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `file-${index}`)
  const files = names.map((file_path) => ({ file_path, content: 'before' }))
  const { id } = (await forge.as(owner).post('/snippets', { title: 'Race', files })).body
  await Promise.all(
    names.map((file_path) => forge.as(owner).put(`/snippets/${id}`, { files: [{ action: 'update', file_path, content: file_path }] })),
  )
  const contents = await Promise.all(names.map(async (name) => (await forge.as(owner).get(`/snippets/${id}/files/main/${name}/raw`)).text))
  expect(contents).toEqual(names)
})

test('administrators see which client created a snippet', async () => {
  const own = await personal(owner)
  const shared = await inProject(owner)
  for (const path of [`/snippets/${own.id}`, `/projects/${project.id}/snippets/${shared.id}`]) {
    const detail = await forge.as(forge.root).get(`${path}/user_agent_detail`)
    expect([detail.status, detail.body]).toEqual([
      200,
      { user_agent: expect.any(String), ip_address: '127.0.0.1', akismet_submitted: false },
    ])
    expect((await forge.as(owner).get(`${path}/user_agent_detail`)).status).toBe(403)
  }
})

test.each([false, true])('the snippets of a deleted user go with them (hard_delete: %s)', async (hard) => {
  const author = await forge.user()
  const own = await personal(author, { visibility: 'public' })
  await forge.as(forge.root).delete(`/users/${author.id}?hard_delete=${hard}`)
  await forge.drain()
  expect((await forge.as(forge.root).get(`/snippets/${own.id}`)).status).toBe(404)
})

test('a snippet is deleted only in the state that was meant', async () => {
  const { id } = await personal(owner)
  const stale = await forge.as(owner).request('DELETE', `/snippets/${id}`, undefined, {
    headers: { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' },
  })
  expect(stale.status).toBe(412)
})

test('lists cost a fixed number of statements, however long', async () => {
  const author = await forge.user()
  const costOf = async () => {
    const get = async () => expect((await forge.as(author).get('/snippets')).status).toBe(200)
    const costs = [await forge.cost(get), await forge.cost(get), await forge.cost(get)]
    return { statements: Math.max(...costs.map(({ statements }) => statements)), processes: 0 }
  }
  await personal(author)
  const one = await costOf()
  for (let index = 0; index < 19; index++) await personal(author)
  expect(await costOf()).toEqual(one)
})
