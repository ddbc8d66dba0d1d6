/** Pages of wikis over the API. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { findWiki } from '../../../access/wikis.ts'
import { withTitle } from './page-text.ts'

cpuBudget(11, 'Edits of a wiki are commits.')

async function prepared() {
  const forge = await testForge()
  const [guest, developer, maintainer] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ guest, developer, maintainer, visibility: 'private' })
  const at = `/projects/${project.id}/wikis`
  const write = (title: string, content = `About ${title}`, more: object = {}) => forge.as(developer).post(at, { title, content, ...more })
  const dir = async () => {
    const wiki = await findWiki(forge.app.db, { kind: 'project', row: project })
    return forge.app.git.openWiki(wiki?.id ?? 0).dir
  }
  return { forge, guest, developer, maintainer, project, at, write, dir }
}

const page = (at: string, slug: string) => `${at}/${encodeURIComponent(slug)}`

test('a project has an empty wiki before the first page, and no repository for it', async () => {
  const { forge, guest, at, project } = await prepared()
  const list = await forge.as(guest).get(at)
  expect([list.status, list.body]).toEqual([200, []])
  expect((await forge.as(guest).get(page(at, 'home'))).body).toEqual({ message: '404 Wiki Page Not Found' })
  expect(await findWiki(forge.app.db, { kind: 'project', row: project })).toBeNull()
})

test('a page that was written is read, listed and is one commit by its author', async () => {
  const { forge, guest, developer, at, write, dir } = await prepared()
  const made = await write('  How to   install ', '# Install\n')
  expect([made.status, made.body]).toEqual([
    201,
    { format: 'markdown', slug: 'How-to-install', title: 'How to install', content: '# Install\n', encoding: 'UTF-8', front_matter: {} },
  ])
  const read = await forge.as(guest).get(page(at, 'How-to-install'))
  expect([read.status, read.body]).toEqual([200, made.body])
  const { format, slug, title } = made.body
  expect((await forge.as(guest).get(at)).body).toEqual([{ format, slug, title }])
  expect((await forge.as(guest).get(`${at}?with_content=1`)).body).toEqual([made.body])
  expect(await git(await dir(), 'log', '--format=%an <%ae> %cn: %s')).toBe(
    `${developer.name} <${developer.email}> ${developer.name}: ${developer.username} created page: How to install`,
  )
  expect(await git(await dir(), 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('How-to-install.md')
})

test('a page that was pushed in another encoding is read in it, and keeps its bytes and its mode', async () => {
  const { forge, guest, developer, at, write, dir } = await prepared()
  await write('First')
  const file = join(await dir(), 'page.bytes')
  await writeFile(file, Buffer.from('# Alt\n\nDie Größe der Fläche für Köln\n', 'latin1'))
  const blob = await git(await dir(), 'hash-object', '-w', file)
  const tree = await gitWriting(await dir(), `100755 blob ${blob}\tAlt.md\n`, 'mktree')
  const commit = await git(await dir(), 'commit-tree', '-m', 'Old', tree)
  await git(await dir(), 'update-ref', 'HEAD', commit)
  expect((await forge.as(guest).get(page(at, 'Alt'))).body.content).toBe('# Alt\n\nDie Größe der Fläche für Köln\n')
  const refused = await forge.as(developer).put(page(at, 'Alt'), { front_matter: { title: 'Old' } })
  expect([refused.status, refused.body.message]).toEqual([400, 'This page is not text in UTF-8: change it in a clone of the wiki.'])
  await forge.as(developer).put(page(at, 'Alt'), { title: 'Neu' })
  expect(await git(await dir(), 'ls-tree', 'HEAD')).toBe(`100755 blob ${blob}\tNeu.md`)
})

test('pages stand in folders, beside a page of the same name, with names of any script', async () => {
  const { forge, guest, at, write } = await prepared()
  for (const title of ['b', 'a', 'a/b', 'Überblick/日本 語', '-dash']) expect((await write(title)).status).toBe(201)
  const list = await forge.as(guest).get(at)
  expect(list.body.map(({ slug }: { slug: string }) => slug)).toEqual(['-dash', 'a', 'b', 'a/b', 'Überblick/日本-語'])
  expect((await forge.as(guest).get(page(at, 'Überblick/日本-語'))).body).toMatchObject({
    title: '日本 語',
    content: 'About Überblick/日本 語',
  })
  expect((await forge.as(guest).get(page(at, 'A/B'))).body.slug).toBe('a/b')
})

test.each(['rdoc', 'asciidoc', 'org', 'textile'])('a page may be written in %s', async (format) => {
  const { forge, guest, at, write } = await prepared()
  expect((await write('Page', 'Text', { format })).body).toMatchObject({ format, slug: 'Page' })
  expect((await forge.as(guest).get(page(at, 'Page'))).body).toMatchObject({ format, content: 'Text' })
})

test.each([
  ['markdown', '# Head\n[[Other page]] #1 <script>alert(1)</script>'],
  ['rdoc', '= Head\n[[Other page]] #1 <script>alert(1)</script>'],
  ['asciidoc', '= Head\n\nlink:Other-page[x] #1\n\n++++\n<script>alert(1)</script>\n++++'],
  ['org', '* Head\n[[Other page]] #1\n#+HTML: <script>alert(1)</script>'],
  ['textile', 'h1. Head\n\n[[Other page]] #1 <script>alert(1)</script>'],
])('a page in %s is given as HTML, with its links and references, and nothing active', async (format, content) => {
  const { forge, guest, maintainer, project, at, write } = await prepared()
  await forge.issue(project, maintainer, { title: 'First' })
  await write('docs/page', content, { format })
  const { status, body } = await forge.as(guest).get(`${page(at, 'docs/page')}?render_html=true`)
  expect([status, body.format]).toEqual([200, format])
  expect(body.content).toMatch(/<h1[^>]*>Head<\/h1>/)
  expect(body.content).toContain(`href="http://gitstead.test/${project.full_path}/wikis/Other-page"`)
  expect(body.content).toContain(`href="http://gitstead.test/${project.full_path}/issues/1"`)
  expect(body.content).not.toMatch(/<script|alert\(1\)<\/script/)
})

test('the front matter of a page is given beside its content, and is not in its HTML', async () => {
  const { forge, developer, at, write } = await prepared()
  const content = '---\ntitle: A *fine* title\ntags: [a, b]\n---\nText'
  const made = await write('page', content)
  expect(made.body).toMatchObject({ title: 'page', content, front_matter: { title: 'A *fine* title', tags: ['a', 'b'] } })
  expect((await forge.as(developer).get(`${page(at, 'page')}?render_html=1`)).body.content).not.toContain('title')
  const titled = await forge.as(developer).put(page(at, 'page'), { front_matter: { title: 'Other: title' } })
  expect(titled.body).toMatchObject({ slug: 'page', front_matter: { title: 'Other: title', tags: ['a', 'b'] } })
  expect(titled.body.content).toMatch(/\nText$/)
  const fresh = await forge.as(developer).post(at, { title: 'fresh', content: 'x', front_matter: { title: 'Fresh' } })
  expect(fresh.body).toMatchObject({ content: '---\ntitle: Fresh\n---\nx', front_matter: { title: 'Fresh' } })
})

test('a new title in the front matter changes nothing else of it', () => {
  const titled = (front: string) => withTitle(`---\n${front}---\nText`, 'New: *title*').slice(4, -8)
  expect(titled('# Why\nversion: 1.10\ntitle: Old # so\nid: 12345678901234567890\n')).toBe(
    '# Why\nversion: 1.10\ntitle: "New: *title*" # so\nid: 12345678901234567890\n',
  )
  expect(titled('title: |\n  Old\n  title\nb: 1\n')).toBe('title: "New: *title*"\nb: 1\n')
  expect(titled('title:\nb: 1\n')).toBe('title: "New: *title*"\nb: 1\n')
  expect(titled('# Why\n\n  a: 1\n  b: 2\n')).toBe('# Why\n\n  title: "New: *title*"\n  a: 1\n  b: 2\n')
  expect(titled('')).toBe('title: "New: *title*"\n')
  expect(titled('{a: 1}\n')).toBe('a: 1\ntitle: "New: *title*"\n')
  expect(withTitle('---\r\na: 1\r\n---\r\nText\r\n', 'New')).toBe('---\r\ntitle: New\r\na: 1\r\n---\r\nText\r\n')
})

test.each([
  ['---\n- a\n---\nText', {}],
  ['---\na: &a [x]\nb: *a\n---\nText', {}],
  ['---\n{\n---\nText', {}],
  ['---\na: 1\nText', {}],
  ['---\n__proto__: {x: 1}\nconstructor: 1\n---\nText', { constructor: 1 }],
])('front matter that is none, or would grow, is text: %j', async (content, expected) => {
  const { write } = await prepared()
  const { status, body } = await write('page', content)
  expect([status, body.content]).toEqual([201, content])
  expect(body.front_matter).toMatchObject(expected)
})

test('a page too long for HTML is refused as HTML with 413, and read as it is', async () => {
  const { forge, guest, at, write } = await prepared()
  await write('long', 'x'.repeat(256 * 1024 + 1))
  expect((await forge.as(guest).get(`${page(at, 'long')}?render_html=1`)).status).toBe(413)
  expect((await forge.as(guest).get(page(at, 'long'))).status).toBe(200)
})

test('an attachment over the limit is refused, and leaves no commit', async () => {
  const { forge, developer, at } = await prepared()
  const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="big.bin"\r\n\r\n${'x'.repeat(100 * 1024 * 1024 + 1)}\r\n--x--\r\n`
  const sent = await forge.as(developer).post(`${at}/attachments`, body, { headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  expect(sent.status).toBe(413)
  expect((await forge.as(developer).get(at)).body).toEqual([])
})

test('a new title moves the page inside its folder, a slash before it to the root', async () => {
  const { forge, developer, at, write, dir } = await prepared()
  await write('docs/old name', 'Text')
  const within = await forge.as(developer).put(page(at, 'docs/old-name'), { title: 'new name' })
  expect([within.status, within.body]).toMatchObject([200, { slug: 'docs/new-name', title: 'new name', content: 'Text' }])
  const toRoot = await forge.as(developer).put(page(at, 'docs/new-name'), { title: '/top', content: 'Other', format: 'asciidoc' })
  expect(toRoot.body).toMatchObject({ slug: 'top', content: 'Other', format: 'asciidoc' })
  expect(await git(await dir(), 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('top.asciidoc')
  expect((await git(await dir(), 'log', '--format=%s')).split('\n')).toHaveLength(3)
  expect((await forge.as(developer).get(page(at, 'docs/old-name'))).status).toBe(404)
})

test('a page that moves to the place of another is refused, and both stay', async () => {
  const { forge, developer, at, write } = await prepared()
  await write('one')
  await write('two')
  const refused = await forge.as(developer).put(page(at, 'one'), { title: 'TWO' })
  expect([refused.status, refused.body]).toEqual([
    400,
    { message: { title: ['There is already a page with the same title in that path.'] } },
  ])
  expect((await forge.as(developer).get(page(at, 'two'))).body.content).toBe('About two')
})

test('a page may change the case of its own name', async () => {
  const { forge, developer, at, write } = await prepared()
  await write('readme')
  expect((await forge.as(developer).put(page(at, 'readme'), { title: 'README' })).body.slug).toBe('README')
  expect((await forge.as(developer).get(at)).body).toHaveLength(1)
})

test('a title that is taken, also in another case or format, is refused', async () => {
  const { write } = await prepared()
  await write('Taken')
  for (const [title, format] of [
    ['Taken', 'markdown'],
    ['taken', 'markdown'],
    ['Taken', 'rdoc'],
  ] as const) {
    const again = await write(title, 'x', { format })
    expect(again.status).toBe(400)
    expect(again.body.message.base[0]).toContain('Duplicate page: ')
  }
})

test.each([
  ['../up', 'is invalid'],
  ['a/../b', 'is invalid'],
  ['.git/config', 'is invalid'],
  ['a//b', 'is invalid'],
  ['/', 'is invalid'],
  ['uploads/page', 'is in the folder of attachments'],
  ['x'.repeat(2_000), 'is too long (maximum is 245 bytes for each part)'],
])('a page cannot be called %.20s', async (title, error) => {
  const { write } = await prepared()
  const refused = await write(title)
  expect([refused.status, refused.body]).toEqual([400, { message: { title: [error] } }])
})

test('title and content are needed, and may not be blank', async () => {
  const { forge, developer, at, write } = await prepared()
  expect((await forge.as(developer).post(at, { title: 'x' })).body).toEqual({ error: 'content is missing' })
  expect((await write('x', 'caf\udce9')).body).toEqual({ message: { content: ['is not text in Unicode'] } })
  expect((await forge.as(developer).post(at, { content: 'x' })).body).toEqual({ error: 'title is missing' })
  expect((await write(' ', ' ')).body).toEqual({ message: { title: ["can't be blank"], content: ["can't be blank"] } })
  expect((await write('x', 'y', { format: 'html' })).body).toEqual({ error: 'format does not have a valid value' })
  await write('page')
  const nothing = await forge.as(developer).put(page(at, 'page'), {})
  expect(nothing.status).toBe(400)
})

test.each(['a/../b', '%00', 'no/such/page', '-x', 'x'.repeat(2_000), '.git'])('no page is found at %.20s', async (slug) => {
  const { forge, guest, at, write } = await prepared()
  await write('page')
  expect((await forge.as(guest).get(page(at, slug))).status).toBe(404)
})

test(
  'many edits of one page at once all become commits, and the last one stands',
  inFullRun('1 s of processor. `commit-actions.test.ts`: of concurrent commits to one branch each is in the history or was refused.'),
  async () => {
    const { forge, developer, at, write, dir } = await prepared()
    await write('busy', 'first')
    const edits = await Promise.all(
      Array.from({ length: 8 }, (_, index) => forge.as(developer).put(page(at, 'busy'), { content: `edit ${index}` })),
    )
    expect(edits.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await git(await dir(), 'log', '--format=%s')).split('\n')).toHaveLength(9)
    const seen = await git(await dir(), 'log', '-p', '--format=')
    for (let index = 0; index < 8; index += 1) expect(seen).toContain(`+edit ${index}`)
  },
)

test('two pages of one title at once: one is made', async () => {
  const { write } = await prepared()
  const made = await Promise.all([write('same', 'a'), write('same', 'b'), write('SAME', 'c')])
  expect(made.map(({ status }) => status).sort()).toEqual([201, 400, 400])
})

test('a deleted page is gone, and stays in the history', async () => {
  const { forge, developer, maintainer, at, write, dir } = await prepared()
  await write('gone', 'was here')
  expect((await forge.as(developer).delete(page(at, 'gone'))).status).toBe(403)
  expect((await forge.as(maintainer).delete(page(at, 'gone'))).status).toBe(204)
  expect((await forge.as(maintainer).get(page(at, 'gone'))).status).toBe(404)
  expect((await forge.as(maintainer).delete(page(at, 'gone'))).status).toBe(404)
  const old = await forge.as(maintainer).get(`${page(at, 'gone')}?version=${await git(await dir(), 'rev-parse', 'HEAD~1')}`)
  expect([old.status, old.body.content]).toEqual([200, 'was here'])
})

test('an attachment stands in a folder of its own, on the branch that was asked for', async () => {
  const { forge, developer, at, dir, write } = await prepared()
  const send = (name: string, more: Record<string, string> = {}) => {
    const fields = Object.entries(more).map(([key, value]) => `--x\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`)
    const file = `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\nbytes\r\n`
    return forge
      .as(developer)
      .post(`${at}/attachments`, `${fields.join('')}${file}--x--\r\n`, { headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  }
  const sent = await send('a picture.png')
  expect([sent.status, sent.body]).toEqual([
    201,
    {
      file_name: 'a_picture.png',
      file_path: expect.stringMatching(/^uploads\/[0-9a-f]{32}\/a_picture\.png$/),
      branch: 'main',
      link: { url: sent.body.file_path, markdown: `![a_picture](${sent.body.file_path})` },
    },
  ])
  expect(await git(await dir(), 'show', `HEAD:${sent.body.file_path}`)).toBe('bytes')
  await write('page')
  const aside = await send('.gitmodules', { branch: 'aside' })
  expect(aside.body).toMatchObject({ branch: 'aside', file_name: '_gitmodules' })
  expect(await git(await dir(), 'ls-tree', '-r', '--name-only', 'aside')).toContain('page.md')
  expect((await forge.as(developer).get(at)).body).toHaveLength(1)
  expect((await send('x', { branch: 'a..b' })).status).toBe(400)
  const none = await forge.as(developer).post(`${at}/attachments`, {})
  expect([none.status, none.body]).toEqual([400, { error: 'file is missing' }])
})

test('access to a wiki follows its setting, and an archived project takes no writes', async () => {
  const { forge, guest, developer, maintainer, project, at, write } = await prepared()
  await write('page')
  const stranger = await forge.user()
  const set = (setting: object) => forge.as(maintainer).put(`/projects/${project.id}`, setting)
  expect((await forge.as(stranger).get(at)).body).toEqual({ message: '404 Project Not Found' })
  await forge.as(forge.root).put(`/projects/${project.id}`, { visibility: 'public' })
  expect((await forge.anonymous.get(page(at, 'page'))).status).toBe(200)
  await set({ wiki_access_level: 'private' })
  expect((await forge.anonymous.get(at)).status).toBe(401)
  expect((await forge.as(stranger).get(at)).status).toBe(403)
  expect((await forge.as(guest).get(at)).status).toBe(200)
  await set({ wiki_enabled: false })
  expect((await forge.as(maintainer).get(at)).body).toEqual({ message: '403 Forbidden' })
  expect((await write('other')).status).toBe(403)
  await set({ wiki_access_level: 'enabled' })
  await forge.as(forge.root).post(`/projects/${project.id}/archive`)
  expect((await write('other')).status).toBe(403)
  expect((await forge.as(developer).get(page(at, 'page'))).status).toBe(200)
})

test('a group has a wiki too, and shows it to nobody who sees the group by a project in it alone', async () => {
  const forge = await testForge()
  const [developer, outsider] = [await forge.user(), await forge.user()]
  const group = await forge.group({ developer, visibility: 'private' })
  const project = await forge.project({ group, reporter: outsider })
  expect(project.namespace_id).toBe(group.id)
  const at = `/groups/${group.id}/wikis`
  expect((await forge.as(developer).post(at, { title: 'home', content: 'ours' })).status).toBe(201)
  expect((await forge.as(developer).get(`${at}/home`)).body.content).toBe('ours')
  expect((await forge.as(outsider).get(`/groups/${group.id}`)).status).toBe(200)
  expect((await forge.as(outsider).get(at)).status).toBe(403)
  expect((await forge.anonymous.get(at)).status).toBe(404)
})

test(
  'a list costs as many statements for many pages as for two, and once read no process',
  inFullRun('1 s of processor. `costs.test.ts` counts the same list.'),
  async () => {
    const { forge, guest, at, write } = await prepared()
    for (const title of ['page 0', 'page 1']) await write(title)
    const read = () => forge.cost(() => forge.as(guest).get(`${at}?with_content=1`))
    await read()
    const few = await read()
    for (let index = 2; index < 25; index += 1) await write(`page ${index}`)
    await read()
    const many = await read()
    expect(many).toEqual(few)
    expect(many.processes).toBe(0)
  },
)

test('a list is whole, as clients expect that mirror a wiki', async () => {
  const { forge, guest, at, write } = await prepared()
  const titles = Array.from({ length: 6 }, (_, index) => `page ${index + 10}`)
  for (const title of titles) await write(title)
  const list = await forge.as(guest).get(`${at}?per_page=5`)
  expect(list.body.map((found: { title: string }) => found.title)).toEqual(titles)
  expect(list.headers).not.toHaveProperty('link')
})
