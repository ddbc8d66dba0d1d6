/** Tags and archives in a browser. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { releaseSentences, tagSentences } from './sentences.ts'

let forge: Forge
let developer: TestUser
let me: Browser
let project: TestProject
const at = (rest: string) => `/${project.full_path}/${rest}`

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user({ password, name: 'Dora' })
  me = await signedIn(forge, developer)
  project = await forge.project({ developer, visibility: 'public', commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  await git(project.dir, 'tag', 'light', 'main~1')
  await git(project.dir, 'tag', '-m', 'First <b>\n\nWith more', 'group/v1', 'main')
})

test('a tag shows who made it, its message and its commit, at its name with slashes plain or encoded', async () => {
  for (const address of ['tags/group/v1', 'tags/group%2Fv1', '-/tags/group%2Fv1']) {
    const first = await me.get(at(address))
    const { text, status } = first.location ? await me.get(first.location) : first
    expect([address, status, readDocument(text).faults]).toEqual([address, 200, []])
    expect(text).toContain('<pre class="message">First &lt;b&gt;\n\nWith more</pre>')
    expect(text).toContain('Tagged by <bdi>Ada</bdi>')
    expect(text).toContain('/-/archive/refs%2Ftags%2Fgroup%2Fv1/')
  }
  expect((await me.get(at('tags/light'))).text).not.toContain('Tagged by')
  expect((await me.get(at('tags/nothing'))).status).toBe(404)
})

test('the signature of a tag is shown apart from its message, and as not verified', async () => {
  const target = await git(project.dir, 'rev-parse', 'main')
  const object = `object ${target}\ntype commit\ntag signed\ntagger Ada <a@example.com> 1700000000 +0000\n\nSigned one\n-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n`
  await git(
    project.dir,
    'update-ref',
    'refs/tags/signed',
    await gitWriting(project.dir, object, 'hash-object', '-t', 'tag', '-w', '--stdin'),
  )
  const { text } = await me.get(at('tags/signed'))
  expect(text).toContain('<pre class="message">Signed one</pre>')
  expect(text).toContain(tagSentences.signed('SSH'))
  await git(project.dir, 'tag', 'tree', 'main^{tree}')
  const tree = await me.get(at('tags/tree'))
  expect([tree.status, tree.text.includes(tagSentences.notCommit), tree.text.includes('/-/archive/')]).toEqual([200, true, false])
  expect((await me.get(at('tags'))).text).toContain(tagSentences.notCommit)
})

test('a developer creates a tag with notes, which make it a release; what is refused stands by its field', async () => {
  const create = (fields: Record<string, string>) =>
    me.submit(at('tags/new'), at('tags'), { ref: 'main', message: '', release_description: '', ...fields })
  const made = await create({ tag_name: 'v2', message: 'Second', release_description: '# New\n\n<script>1</script>' })
  expect(made.location).toBe(at('tags/v2'))
  expect(await noticeAt(me, made.location)).toBe(tagSentences.created('v2'))
  const { text } = await me.get(at('tags/v2'))
  expect(text).toMatch(/<h2[^>]*>New<\/h2>/)
  expect(text).not.toContain('<script>1')
  for (const [fields, field, sentence] of [
    [{ tag_name: 'v2' }, 'tag_name', 'Tag v2 already exists'],
    [{ tag_name: 'a b' }, 'tag_name', 'Tag name invalid'],
    [{ tag_name: 'v3', ref: 'nothing' }, 'ref', 'Target nothing is invalid'],
  ] as const) {
    const answer = await create({ ...fields, message: 'Kept text' })
    expect([sentence, answer.status]).toEqual([sentence, 422])
    expect(answer.text).toContain(`<p class="error" id="${field}-error">${sentence}</p>`)
    expect(answer.text).toContain('Kept text')
  }
})

test('notes of a tag are written, changed and cleared; two who change them at once lose no text', async () => {
  await git(project.dir, 'tag', 'noted', 'main')
  const save = (description: string) => me.submit(at('tags/noted/release/edit'), at('tags/noted/release'), { description })
  expect(await noticeAt(me, (await save('One')).location)).toBe(tagSentences.saved)
  const { text: form } = await me.get(at('tags/noted/release/edit'))
  const seen = /name="seen" value="([^"]+)"/.exec(form)?.[1] as string
  const token = /name="form_token" value="([^"]+)"/.exec(form)?.[1] as string
  await save('Two, by another')
  const late = await me.post(at('tags/noted/release'), { form_token: token, seen, description: 'Two, by me' })
  expect([late.status, late.text.includes('Two, by me'), late.text.includes(releaseSentences.changed)]).toEqual([409, true, true])
  expect((await me.get(at('tags/noted'))).text).toContain('Two, by another')
  expect(await noticeAt(me, (await save('')).location)).toBe(tagSentences.notesRemoved)
})

test('a protected tag is created, described and deleted by maintainers only', async () => {
  await forge.as(forge.root).post(`/projects/${project.id}/protected_tags`, { name: 'stable-*' })
  await git(project.dir, 'tag', 'stable-1', 'main')
  const refused = await me.submit(at('tags/new'), at('tags'), { tag_name: 'stable-2', ref: 'main' })
  expect(refused.status).toBe(422)
  const { text } = await me.get(at('tags/stable-1'))
  expect([text.includes('>protected<'), text.includes('tags/delete'), text.includes('release/edit')]).toEqual([true, false, false])
  expect((await me.get(at('tags/stable-1/release/edit'))).status).toBe(403)
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get('/')).text)?.[1] as string
  const oid = await git(project.dir, 'rev-parse', 'stable-1')
  const answer = await me.post(at('tags/delete'), { form_token: token, name: 'stable-1', oid })
  expect([answer.status, await git(project.dir, 'tag', '--list', 'stable-1')]).toEqual([400, 'stable-1'])
})

test('a maintainer deletes a tag as it was seen, and one that is gone is no error; developers may not', async () => {
  await git(project.dir, 'tag', 'brief', 'main')
  const maintainer = await forge.user({ password })
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: maintainer.id, access_level: 40 })
  expect((await me.get(at('tags/brief'))).text).not.toContain('tags/delete')
  const them = await signedIn(forge, maintainer)
  const token = /name="form_token" value="([^"]+)"/.exec((await them.get(at('tags/brief'))).text)?.[1] as string
  const remove = (oid: string) => them.post(at('tags/delete'), { form_token: token, name: 'brief', oid })
  expect(await noticeAt(them, (await remove('0'.repeat(40))).location)).toBe(tagSentences.moved('brief'))
  const oid = await git(project.dir, 'rev-parse', 'brief')
  expect(await noticeAt(them, (await remove(oid)).location)).toBe(tagSentences.deleted('brief'))
  expect(await noticeAt(them, (await remove(oid)).location)).toBe(tagSentences.gone('brief'))
})

test('a tag called new has a page, beside the form for new ones', async () => {
  await git(project.dir, 'tag', 'new', 'main')
  expect((await me.get(at('tags'))).text).toContain(`href="${at('tags/refs%2Ftags%2Fnew')}"`)
  expect((await me.get(at('tags/refs%2Ftags%2Fnew'))).text).toContain('<h1><bdi class="ref">new</bdi>')
  expect((await me.get(at('tags/new'))).text).toContain('<h1>New tag</h1>')
})

test('archives answer at the addresses of older clients, to those who may read the code', async () => {
  const anyone = browserOf(forge.server)
  for (const [address, type] of [
    ['repository/main/archive.zip', 'application/zip'],
    ['repository/group/v1/archive.tar.gz', 'application/gzip'],
    ['repository/group%2Fv1/archive.tar', 'application/x-tar'],
    ['repository/archive.zip?ref=light', 'application/zip'],
    ['repository/archive', 'application/gzip'],
  ] as const) {
    const { status, headers } = await anyone.get(at(address))
    expect([address, status, headers['content-type']]).toEqual([address, 200, type])
  }
  for (const missing of ['repository/nothing/archive.zip', 'repository/main/archive.exe', 'repository/main'])
    expect([missing, (await anyone.get(at(missing))).status]).toEqual([missing, 404])
  const hidden = await forge.project({ developer, visibility: 'private' })
  expect((await anyone.get(`/${hidden.full_path}/repository/main/archive.zip`)).status).toBe(404)
  const mine = await me.get(`/${hidden.full_path}/-/archive/main/x-main.zip`)
  expect([mine.status, mine.headers['content-type']]).toEqual([200, 'application/zip'])
})
