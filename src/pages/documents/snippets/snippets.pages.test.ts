/** Pages of snippets: lists, one, forms with several files, comments, raw files, the script to embed one, and who may. */
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'
const hostile = `<script>alert("1")</script>`
let forge: Forge
let owner: TestUser
let stranger: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[owner, stranger] = await Promise.all([forge.user({ password }), forge.user({ password })])
  project = await forge.project({ owner, visibility: 'public', files: null })
})

const tokenIn = (text: string) => /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
const made = async (path: string, fields: object = {}) => {
  const sent = { title: 'Build', file_name: 'build.sh', content: 'make all\n', visibility: 'public', ...fields }
  return (await forge.as(owner).post(path, sent)).body as { id: number }
}

test.each(['personal', 'project'])('a %s snippet is created, edited and deleted by its forms', async (kind) => {
  const base = kind === 'personal' ? '/snippets' : `/${project.full_path}/snippets`
  const me = await signedIn(forge, owner)
  const form = await me.get(`${base}/new`)
  expect(form.status).toBe(200)
  const form_token = tokenIn(form.text)
  const fields = {
    form_token,
    title: 'From a form',
    file_name: 'a.md',
    content: 'one\r\ntwo',
    file_name_1: 'b',
    content_1: 'three',
    visibility: 'internal',
  }
  const created = await me.post(base, fields)
  expect(created.status).toBe(303)
  const address = String(created.headers.location)
  expect(address).toMatch(new RegExp(`^${base}/\\d+$`))
  const shown = await me.get(address)
  expect(shown.text).toContain('From a form')
  expect(shown.text).toContain('three')
  expect((await me.get(`${address}/raw`)).text).toBe('one\ntwo')
  expect((await me.get(`${address}/raw/main/b`)).text).toBe('three')
  const edit = await me.get(`${address}/edit`)
  expect(edit.text).toContain('value="a.md"')
  const changed = await me.post(address, { ...fields, form_token: tokenIn(edit.text), title: 'Edited', file_name_1: '', content_1: '' })
  expect([changed.status, changed.headers.location]).toEqual([303, address])
  expect((await me.get(`${address}/raw/main/b`)).status).toBe(404)
  const removed = await me.post(`${address}/remove`, { form_token })
  expect([removed.status, removed.headers.location]).toEqual([303, base])
  expect((await me.get(address)).status).toBe(404)
})

test('what was typed is shown again with its errors', async () => {
  const me = await signedIn(forge, owner)
  const form_token = tokenIn((await me.get('/snippets/new')).text)
  const again = await me.post('/snippets', { form_token, title: ' ', file_name: '../x', content: hostile, visibility: 'private' })
  expect([again.status, again.text.includes('can&#39;t be blank') || again.text.includes('can’t be blank')]).toEqual([422, true])
  expect(again.text).toContain('&lt;script&gt;alert')
  const empty = await me.post('/snippets', { form_token, title: 'Empty', visibility: 'private' })
  expect(empty.status).toBe(422)
})

test('lists have tabs by visibility, and show what the visitor may see', async () => {
  const own = await made('/snippets', { title: 'Listed private', visibility: 'private' })
  await made('/snippets', { title: 'Listed public' })
  const me = await signedIn(forge, owner)
  const other = await signedIn(forge, stranger)
  const anonymous = browserOf(forge.server)
  expect((await me.get('/snippets')).text).toContain('Listed private')
  expect((await me.get('/snippets?visibility=public')).text).not.toContain('Listed private')
  expect((await other.get('/explore/snippets')).text).not.toContain('Listed private')
  expect((await anonymous.get('/explore/snippets')).text).toContain('Listed public')
  expect((await anonymous.get('/snippets')).status).toBe(303)
  expect([(await other.get(`/snippets/${own.id}`)).status, (await other.get(`/snippets/${own.id}/raw`)).status]).toEqual([404, 404])
})

test('a stranger sees no forms of others, and may not post to them', async () => {
  const { id } = await made('/snippets')
  const shared = await made(`/projects/${project.id}/snippets`)
  const other = await signedIn(forge, stranger)
  for (const address of [`/snippets/${id}`, `/${project.full_path}/snippets/${shared.id}`]) {
    const page = await other.get(address)
    expect([page.status, page.text.includes(`${address}/edit`)]).toEqual([200, false])
    expect((await other.get(`${address}/edit`)).status).toBe(403)
    const token = tokenIn((await other.get('/snippets/new')).text)
    expect((await other.post(`${address}/remove`, { form_token: token })).status).toBe(403)
  }
})

test('a snippet of a project has its page there, and addresses with dashes lead on', async () => {
  const shared = await made(`/projects/${project.id}/snippets`)
  const anonymous = browserOf(forge.server)
  const led = await anonymous.get(`/snippets/${shared.id}`)
  expect([led.status, led.headers.location]).toEqual([303, `/${project.full_path}/snippets/${shared.id}`])
  const dashed = await anonymous.get(`/-/snippets/${shared.id}/raw`)
  expect([dashed.status, dashed.headers.location]).toEqual([301, `/snippets/${shared.id}/raw`])
})

test('the script to embed a public snippet writes its text and no markup of users', async () => {
  const { id } = await made('/snippets', { title: hostile, content: `${hostile}\u2028</script>` })
  const anonymous = browserOf(forge.server)
  const { status, headers, text } = await anonymous.get(`/snippets/${id}/embed.js`)
  expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(text).not.toMatch(/[<>\u2028]/)
  let written = ''
  new Function('document', text)({ write: (content: string) => (written = content) })
  expect(written).toContain('&lt;script&gt;alert')
  expect(written).not.toContain('<script')
  const hidden = await made('/snippets', { visibility: 'internal' })
  const me = await signedIn(forge, owner)
  expect((await me.get(`/snippets/${hidden.id}/embed.js`)).status).toBe(404)
})

test('a page costs a fixed number of statements, however many files and snippets there are', async () => {
  const me = await signedIn(forge, owner)
  const files = Array.from({ length: 10 }, (_, index) => ({ file_path: `${index}`, content: 'x' }))
  const { id } = await made('/snippets')
  const many = await forge.as(owner).post('/snippets', { title: 'Many', files, visibility: 'public' })
  const costOf = async (address: string) => {
    await me.get(address)
    const costs = [await forge.cost(() => me.get(address)), await forge.cost(() => me.get(address))]
    return Math.min(...costs.map(({ statements }) => statements))
  }
  expect(await costOf(`/snippets/${many.body.id}`)).toBe(await costOf(`/snippets/${id}`))
})

test('the snippet of a project is discussed and awarded emoji on its page', async () => {
  const { id } = await made(`/projects/${project.id}/snippets`)
  const address = `/${project.full_path}/snippets/${id}`
  const me = await signedIn(forge, stranger)
  const page = await me.get(address)
  const form_token = tokenIn(page.text)
  expect([page.status, page.text.includes('quick actions'), page.text.includes('Internal comment')]).toEqual([200, false, false])
  const sent = await me.post(`${address}/notes`, { form_token, body: `Is this **right**? ${hostile}`, act: 'discussion' })
  expect([sent.status, sent.headers.location]).toEqual([303, expect.stringMatching(/\/snippets\/\d+#note_\d+$/)])
  const note = /#note_(\d+)$/.exec(String(sent.headers.location))?.[1]
  const { body: discussions } = await forge.as(owner).get(`/projects/${project.id}/snippets/${id}/discussions`)
  const reply = await me.post(`${address}/notes`, { form_token, body: 'Yes\n/close', discussion_id: discussions[0].id })
  expect(reply.status).toBe(303)
  expect((await me.post(`${address}/notes/${note}`, { form_token, body: 'Is it?' })).status).toBe(303)
  expect((await me.get(`${address}/notes/${note}/edit`)).text).toContain(`$${id}`)
  expect((await me.post(`${address}/emoji`, { form_token, name: 'tada' })).status).toBe(303)
  expect((await me.post(`${address}/notes/${note}/emoji`, { form_token, name: 'heart' })).status).toBe(303)
  const shown = (await me.get(address)).text
  for (const text of ['Is it?', '/close', 'aria-pressed="true"']) expect(shown).toContain(text)
  const empty = await me.post(`${address}/notes`, { form_token, body: ' ' })
  expect([empty.status, /can(&#39;|’)t be blank/.test(empty.text)]).toEqual([422, true])
  const closing = await me.post(`${address}/notes`, { form_token, body: 'Text', act: 'close' })
  expect(closing.status).toBe(303)
  expect((await me.post(`${address}/notes/${note}/delete`, { form_token })).status).toBe(303)
  const hidden = await made(`/projects/${project.id}/snippets`, { visibility: 'private' })
  for (const path of ['notes', 'emoji'])
    expect((await me.post(`/${project.full_path}/snippets/${hidden.id}/${path}`, { form_token, body: 'x', name: 'tada' })).status).toBe(404)
})

test('a personal snippet is discussed on its page, by whoever can see it', async () => {
  const { id } = await made('/snippets', { title: 'Discussed' })
  const address = `/snippets/${id}`
  const me = await signedIn(forge, stranger)
  const form_token = tokenIn((await me.get(address)).text)
  const sent = await me.post(`${address}/notes`, { form_token, body: `Is this **right**? ${hostile}` })
  expect([sent.status, sent.headers.location]).toEqual([303, expect.stringMatching(/^\/snippets\/\d+#note_\d+$/)])
  const note = `${address}/notes/${/#note_(\d+)$/.exec(String(sent.headers.location))?.[1]}`
  const author = await signedIn(forge, owner)
  const shown = (await author.get(address)).text
  expect([shown.includes('<strong>right</strong>'), shown.includes('<script>alert'), shown.includes(`${note}/edit`)]).toEqual([
    true,
    false,
    false,
  ])
  expect((await author.get('/snippets')).text).toMatch(/Discussed[\s\S]*?1 comment</)
  const token = tokenIn(shown)
  for (const path of ['', '/delete']) expect((await author.post(`${note}${path}`, { form_token: token, body: 'Mine' })).status).toBe(403)
  expect((await author.get(`${note}/edit`)).status).toBe(403)
  expect((await me.get(`${note}/edit`)).text).toContain('Is this **right**?')
  const again = await me.post(note, { form_token, body: ' ' })
  expect([again.status, /can(&#39;|’)t be blank/.test(again.text)]).toEqual([422, true])
  expect((await me.post(note, { form_token, body: 'Is it?' })).headers.location).toBe(sent.headers.location)
  const pressed = /aria-pressed="true" title=":(\w+):"/g
  for (const path of [`${note}/emoji`, `${address}/emoji`]) {
    const award = (name: string) => author.post(path, { form_token: token, name })
    expect((await award('nothing_like_it')).status).toBe(400)
    expect((await award('tada')).headers.location).toBe(path.startsWith(note) ? sent.headers.location : address)
    await award('heart')
    expect((await award('heart')).status).toBe(303)
  }
  expect([...(await author.get(address)).text.matchAll(pressed)].map(([, name]) => name)).toEqual(['tada', 'tada'])
  expect([...(await me.get(address)).text.matchAll(pressed)]).toEqual([])
  const edited = (await me.get(address)).text
  expect([edited.includes('Is it?'), edited.includes('edited')]).toEqual([true, true])
  expect((await me.post(`${note}/delete`, { form_token })).headers.location).toBe(address)
  expect((await me.post(`${note}/delete`, { form_token })).status).toBe(404)
  expect((await me.get('/explore/snippets')).text).toMatch(/Discussed[\s\S]*?0 comments</)
})

test('comments on a personal snippet are refused where they do not belong, and too long ones', async () => {
  const me = await signedIn(forge, stranger)
  const [own, other] = [await made('/snippets'), await made('/snippets')]
  const form_token = tokenIn((await me.get(`/snippets/${own.id}`)).text)
  const comment = (id: number, body: string) => me.post(`/snippets/${id}/notes`, { form_token, body })
  const blank = await comment(own.id, ' ')
  expect([blank.status, /can(&#39;|’)t be blank/.test(blank.text)]).toEqual([422, true])
  expect((await comment(own.id, 'x'.repeat(100_001))).text).toContain('is too long (maximum is 100000 characters)')
  const note = /#note_(\d+)$/.exec(String((await comment(own.id, 'Here')).headers.location))?.[1]
  expect((await me.post(`/snippets/${other.id}/notes/${note}`, { form_token, body: 'There' })).status).toBe(404)
  expect((await me.post(`/snippets/${other.id}/notes/${note}/emoji`, { form_token, name: 'tada' })).status).toBe(404)
  const hidden = await made('/snippets', { visibility: 'private' })
  const shared = await made(`/projects/${project.id}/snippets`)
  for (const { id } of [hidden, shared]) {
    expect((await comment(id, 'x')).status).toBe(404)
    expect((await me.post(`/snippets/${id}/emoji`, { form_token, name: 'tada' })).status).toBe(404)
  }
  const anonymous = browserOf(forge.server)
  const page = (await anonymous.get(`/snippets/${own.id}`)).text
  expect([page.includes('Here'), page.includes('return_to=')]).toEqual([true, true])
})

test('comments of deleted users are the ghost’s, or go with them, and a page has twenty', async () => {
  const [left, gone] = [await forge.user({ password }), await forge.user({ password })]
  const { id } = await made('/snippets')
  const address = `/snippets/${id}`
  for (const user of [left, gone]) {
    const me = await signedIn(forge, user)
    const form_token = tokenIn((await me.get(address)).text)
    const places = []
    for (let index = 0; index < 11; index++)
      places.push((await me.post(`${address}/notes`, { form_token, body: user.username })).headers.location)
    expect(places.at(-1)).toMatch(user === left ? /\d#note_/ : /\?page=2#note_/)
  }
  await forge.as(forge.root).delete(`/users/${left.id}`)
  await forge.as(forge.root).delete(`/users/${gone.id}?hard_delete=true`)
  await forge.drain()
  const { text } = await browserOf(forge.server).get(address)
  expect([text.split('@ghost').length - 1, text.includes(gone.username)]).toEqual([11, false])
  const snippet = await forge.app.db.selectFrom('snippets').select('user_notes_count').where('id', '=', id).executeTakeFirst()
  expect(snippet?.user_notes_count).toBe(11)
})

test('code has colours, Markdown is rendered, and markup of users is text', async () => {
  const files = [
    { file_path: 'a.js', content: `const x = '</span>${hostile}'\n` },
    { file_path: 'b.md', content: `# Title\n\n${hostile}\n\n*emphasis*\n` },
    { file_path: 'c.txt', content: `${hostile}\n` },
  ]
  for (const [path, base] of [
    ['/snippets', '/snippets'],
    [`/projects/${project.id}/snippets`, `/${project.full_path}/snippets`],
  ] as const) {
    const { body } = await forge.as(owner).post(path, { title: 'Files', files, visibility: 'public' })
    const { text } = await browserOf(forge.server).get(`${base}/${body.id}`)
    expect(text).toContain('<em>emphasis</em>')
    expect(text).toMatch(/class="h-k">const</)
    expect(text).not.toContain('<script>alert')
  }
})

test('of very long files the first lines are shown', async () => {
  const content = 'line\n'.repeat(200_000)
  const { id } = await made('/snippets', { content, file_name: 'long.txt' })
  const { status, text } = await browserOf(forge.server).get(`/snippets/${id}`)
  expect([status, text.includes('10000 of 200000 lines')]).toEqual([200, true])
  expect(text.length).toBeLessThan(2_000_000)
})
