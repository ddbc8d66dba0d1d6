/** Snippets go along with archives, count toward the size of their project, and are handled when their author is deleted. */

import { beforeAll, expect, test } from 'vitest'
import { archiveOf, exportOf, filesIn, importOf } from '../../../test/support/fixtures/archives.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../test/support/run/tiers.ts'

let forge: Forge
let owner: TestUser
let guest: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest] = await Promise.all([forge.user(), forge.user()])
})

const files = [
  { file_path: 'build.sh', content: 'make\n' },
  { file_path: 'docs/Größe.md', content: 'ä\n' },
]
const bytes = 5 + 3
const made = async (project: TestProject, author = owner) =>
  (await forge.as(author).post(`/projects/${project.id}/snippets`, { title: 'Build', files, visibility: 'internal' })).body
const sizeOf = async ({ id }: { id: number }) => {
  const { statistics } = (await forge.as(owner).get(`/projects/${id}?statistics=true`)).body
  return [statistics.snippets_size, statistics.storage_size - statistics.repository_size - statistics.wiki_size]
}

test(
  'an archive has the snippets of the project, with their files, comments, emoji and activity',
  onPostgresAlone('1 s of processor.'),
  async () => {
    const project = await forge.project({ owner, guest })
    const { id } = await made(project)
    await forge.as(owner).put(`/projects/${project.id}/snippets/${id}`, { description: 'Of *this*' })
    const at = `/projects/${project.id}/snippets/${id}`
    const { body: question } = await forge.as(guest).post(`${at}/discussions`, { body: 'Why?' })
    const issue = await forge.issue(project, owner)
    await forge.as(owner).post(`${at}/discussions/${question.id}/notes`, { body: `Because of #${issue.iid}` })
    await forge.as(owner).post(`${at}/award_emoji`, { name: 'thumbsup' })
    await forge.as(owner).post(`${at}/notes/${question.notes[0].id}/award_emoji`, { name: 'tada' })
    await made(await forge.project({ owner, files: null }))

    const imported = await importOf(forge, forge.root, await exportOf(forge, owner, project))

    expect(imported.import_status).toBe('finished')
    const as = forge.as(forge.root)
    const { body: list } = await as.get(`/projects/${imported.id}/snippets`)
    const before = (await forge.as(owner).get(at)).body
    expect(list).toEqual([
      {
        ...before,
        id: expect.any(Number),
        project_id: imported.id,
        web_url: expect.any(String),
        raw_url: expect.any(String),
        files: before.files.map(({ path }: { path: string }) => ({ path, raw_url: expect.any(String) })),
      },
    ])
    const there = `/projects/${imported.id}/snippets/${list[0].id}`
    for (const { file_path, content } of files)
      expect((await as.get(`${there}/files/main/${encodeURIComponent(file_path)}/raw`)).text).toBe(content)
    const { body: discussions } = await as.get(`${there}/discussions`)
    expect(discussions.map(({ notes }: { notes: Array<{ body: string }> }) => notes.map(({ body }) => body))).toEqual([
      ['Why?', `Because of #${issue.iid}`],
    ])
    expect((await as.get(`${there}/award_emoji`)).body.map(({ name }: { name: string }) => name)).toEqual(['thumbsup'])
    expect((await as.get(`${there}/notes/${discussions[0].notes[0].id}/award_emoji`)).body).toHaveLength(1)
    const { body: notes } = await as.get(`/projects/${imported.id}/issues/${issue.iid}/notes`)
    expect(notes.map(({ body }: { body: string }) => body)).toEqual([`mentioned in snippet $${list[0].id}`])
    const row = await forge.app.db
      .selectFrom('snippets')
      .select(['user_notes_count', 'upvotes', 'file_name', 'size'])
      .where('id', '=', list[0].id)
      .executeTakeFirst()
    expect(row).toEqual({ user_notes_count: 2, upvotes: 1, file_name: 'build.sh', size: bytes })
    const { body: events } = await as.get(`/projects/${imported.id}/events?action=commented`)
    expect(events.map(({ note }: { note: { noteable_id: number } }) => note.noteable_id)).toEqual([list[0].id, list[0].id])
    const { statistics } = (await as.get(`/projects/${imported.id}?statistics=true`)).body
    expect(statistics.snippets_size).toBe(bytes)
  },
)

test.each([
  ['without a file', 'snippet_files', () => ''],
  ['with a file out of its folder', 'snippet_files', (text: string) => text.replace('build.sh', '../build.sh')],
  [
    'with more in its files than a snippet holds',
    'snippet_files',
    (text: string) => text.replaceAll(/"content":"[^"]*"/g, `"content":"${'x'.repeat(600 * 1024)}"`),
  ],
  ['with a file of no snippet', 'snippet_files', (text: string) => text.replaceAll(/"snippet":\d+/g, '"snippet":99999999')],
  ['with a visibility that there is not', 'snippets', (text: string) => text.replace('internal', 'secret')],
  ['with a comment on two things', 'notes', (text: string) => text.replace('"commit_oid":null', `"commit_oid":"${'a'.repeat(40)}"`)],
])('an archive with a snippet %s is refused', async (_, table, change) => {
  const project = await forge.project({ owner, files: null })
  const { id } = await made(project)
  await forge.as(owner).post(`/projects/${project.id}/snippets/${id}/notes`, { body: 'A comment' })
  const entries = await filesIn(await exportOf(forge, owner, project))
  const changed = entries.map(({ name, content }) => ({
    name,
    content: name === `tables/${table}.jsonl` ? change(content.toString()) : content,
  }))
  expect(changed.some(({ content }, index) => content !== entries[index]?.content)).toBe(true)
  const imported = await importOf(forge, owner, await archiveOf(changed))
  expect(imported.import_status).toBe('failed')
})

test('a visibility that the importer may give to nothing becomes private', onPostgresAlone('Half a second of processor.'), async () => {
  const project = await forge.project({ owner, files: null })
  await made(project)
  const archive = await exportOf(forge, owner, project)
  await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['internal'] })
  try {
    const imported = [await importOf(forge, owner, archive), await importOf(forge, forge.root, archive)]
    const seen = await Promise.all(imported.map(({ id }) => forge.as(forge.root).get(`/projects/${id}/snippets`)))
    expect(seen.map(({ body }) => body[0].visibility)).toEqual(['private', 'internal'])
  } finally {
    await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: [] })
  }
})

test('the size of a project counts the bytes of its snippets, whatever changes them', async () => {
  const project = await forge.project({ owner, files: null })
  const [first, second] = [await made(project), await made(project)]
  expect(await sizeOf(project)).toEqual([2 * bytes, 2 * bytes])
  await forge.as(owner).put(`/projects/${project.id}/snippets/${first.id}`, { files: [{ action: 'delete', file_path: 'build.sh' }] })
  expect(await sizeOf(project)).toEqual([bytes + 3, bytes + 3])
  await forge.as(owner).put(`/projects/${project.id}/snippets/${first.id}`, { title: 'Renamed' })
  await forge.as(owner).delete(`/projects/${project.id}/snippets/${second.id}`)
  expect(await sizeOf(project)).toEqual([3, 3])
})

test('changes of snippets at once are all counted', async () => {
  const project = await forge.project({ owner, files: null })
  await Promise.all(Array.from({ length: 8 }, () => made(project)))
  expect(await sizeOf(project)).toEqual([8 * bytes, 8 * bytes])
})

test.each([false, true])('the snippets that a deleted user wrote in projects go with them (hard_delete: %s)', async (hard) => {
  const author = await forge.user()
  const project = await forge.project({ owner, reporter: author, visibility: 'public', files: null })
  await made(project)
  const own = await made(project, author)
  await forge.as(owner).post(`/projects/${project.id}/snippets/${own.id}/notes`, { body: 'A comment' })
  await forge.as(forge.root).delete(`/users/${author.id}?hard_delete=${hard}`)
  await forge.drain()
  expect((await forge.as(owner).get(`/projects/${project.id}/snippets`)).body).toHaveLength(1)
  expect(await sizeOf(project)).toEqual([bytes, bytes])
})
