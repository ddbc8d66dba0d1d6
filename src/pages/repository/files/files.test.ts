/** The pages of files: what they show, how they change files, and what they make of hostile content. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { storeLargeFile } from '../../../features/repository/lfs/lfs.ts'
import { sentences } from './sentences.ts'

const password = 'correct horse battery'
let forge: Forge
let owner: TestUser
let project: TestProject
let me: Browser
let anonymous: Browser
const at = (rest: string) => `/${project.full_path}/${rest}`

async function signedIn(user: TestUser): Promise<Browser> {
  const browser = browserOf(forge.server)
  await browser.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })
  return browser
}

const hostile = '"><img src=x onerror=alert(1)>&\u202etxt.c'

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  project = await forge.project({
    owner,
    visibility: 'public',
    commits: [
      {
        message: 'Add the first files',
        files: {
          'README.md': '# Shapes\n\n- [x] done\n- [ ] open\n\n[a](docs/a.md) ![p](p.png) $`x^2`$\n\n```ts\nlet a\n```\n',
          'docs/a.md': '# A\n\n[up](../src/main.ts) [root](/src/main.ts) ![v](v.svg) [here](#part)\n\n## Part\n',
          'docs/v.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
          'page.html': '<script>alert(1)</script>',
          'src/main.ts': 'const a = 1\nconst b = "x"\n',
          run: '#!/usr/bin/env -S node --x\nlet a\n',
          'bidi.c': 'int a\u202e;\n',
          'empty.txt': '',
          'long.txt': `${'x'.repeat(1024 * 1024)}\n`,
          'many.txt': 'a\n'.repeat(30_000),
          'p.png': '\u0089PNG\r\n\0',
          [hostile.replaceAll('/', '')]: 'int x;\n',
        },
      },
      { message: 'Change main', files: { 'src/main.ts': 'const a = 1\nconst b = "y"\n' } },
    ],
  })
  await git(project.dir, 'tag', 'v1', 'main')
  me = await signedIn(owner)
  anonymous = browserOf(forge.server)
})

test('a folder shows what changed each entry last, and its README', async () => {
  const { text, status } = await me.get(at('tree/main'))
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toMatch(/Change main<\/bdi><\/a>/)
  expect(text).toMatch(/Add the first files<\/bdi><\/a>/)
  expect(text).toMatch(/<input type="checkbox" disabled checked data-task="2-[0-9a-f]+" aria-label="done">/)
  expect(text).toMatch(/<math>.*<msup>/)
  expect(text).toContain('<span class="h-k">let</span> a')
  expect(text).toContain(`href="${at('new/main')}"`)
  expect((await anonymous.get(at('tree/main'))).text).not.toContain(at('new/main'))
})

test.each(['tree', 'blob', 'blame'])('a path that a revision lacks keeps the frame of the project: %s', async (page) => {
  const { status, text } = await me.get(at(`${page}/main/no/such.js`))
  expect([status, readDocument(text).faults]).toEqual([404, []])
  expect(text).toContain('such.js isn’t on main.')
  expect(text).toContain(`<a href="${at('tree/main')}">Files of main</a>`)
  expect((await me.get(at('refs/names?page=tree&path=src&ref=V1'))).text).toContain(
    `[{"name":"v1","address":"${at('tree/refs/tags/v1/src')}"}]`,
  )
})

test('a folder below the root shows what changed each entry last, too', async () => {
  const { text } = await me.get(at('tree/main/src'))
  expect(text).toMatch(/id="change-0"><a href="[^"]*"><bdi>Change main<\/bdi>/)
})

test.each([
  ['README.adoc', '= Shapes\n\n*bold* link:docs/a.md[a] pass:[<script>alert(1)</script>]\n', '<strong>bold</strong>'],
  ['README.rdoc', '= Shapes\n\n*bold* {a}[link:docs/a.md]\n', '<strong>bold</strong>'],
  ['README.org', '* Shapes\n\n*bold* [[file:docs/a.md][a]]\n', '<strong>bold</strong>'],
  ['README.textile', 'h1. Shapes\n\n*bold* "a":docs/a.md <script>alert(1)</script>\n', '<strong>bold</strong>'],
])('a README is rendered in its format, in its folder and alone: %s', async (name, content, found) => {
  const other = await forge.project({ owner, visibility: 'public', files: { [name]: content } })
  for (const path of ['tree/main', `blob/main/${name}`]) {
    const { text, status } = await me.get(`/${other.full_path}/${path}`)
    expect([status, readDocument(text).faults]).toEqual([200, []])
    expect(text).toContain(found)
    expect(text).toContain(`${other.full_path}/blob/main/docs/a.md`)
    expect(text).not.toContain('<script>alert')
  }
  expect((await me.get(`/${other.full_path}/blob/main/${name}?plain=true`)).text).not.toContain(found)
})

test('links of Markdown lead from its folder, with a slash from the root, and drawings are asked for as pictures', async () => {
  const { text } = await me.get(at('blob/main/docs/a.md'))
  const base = `http://gitstead.test/${project.full_path}`
  expect(text).toContain(`href="${base}/blob/main/src/main.ts"`)
  expect(text.split(`${base}/blob/main/src/main.ts`).length).toBe(3)
  expect(text).toContain(`src="${base}/raw/main/docs/v.svg?as=picture"`)
  expect(text).toContain('href="#user-content-part"')
  expect(text).toMatch(/<h3[^>]*id="user-content-part"/)
  const plain = (await me.get(at('blob/main/docs/a.md?plain=1'))).text
  expect([plain.includes('id="L1"'), plain.includes('Rendered')]).toEqual([true, true])
})

test('code has colours, by the name of the file or its first line', async () => {
  expect((await me.get(at('blob/main/src/main.ts'))).text).toContain('<span class="h-k">const</span> b')
  expect((await me.get(at('blob/main/run'))).text).toContain('<span class="h-k">let</span> a')
})

test('files that can’t be shown say why: empty, too many lines, a very long line, no text', async () => {
  expect((await me.get(at('blob/main/empty.txt'))).text).toContain('The file is empty.')
  const many = await me.get(at('blob/main/many.txt'))
  expect([many.text.includes('Only the first 20,000 of 30,000 lines'), many.text.includes('id="L20001"')]).toEqual([true, false])
  const long = await me.get(at('blob/main/long.txt'))
  expect([long.status, long.text.includes('id="L1"')]).toEqual([200, true])
  const bidi = (await me.get(at('blob/main/bidi.c'))).text
  expect([bidi.includes('data-code="U+202E"'), bidi.includes('change the direction')]).toEqual([true, true])
})

test('names of files are text, whatever they hold', async () => {
  const { text } = await me.get(at('tree/main'))
  expect(text).not.toContain('<img src=x')
  const shown = await me.get(at(`blob/main/${encodeURIComponent(hostile)}`))
  expect([shown.status, readDocument(shown.text).faults, shown.text.includes('<img src=x')]).toEqual([200, [], false])
})

test('raw files never run: HTML and drawings are text, pictures are pictures, all in a sandbox', async () => {
  for (const [path, type] of [
    ['page.html', 'text/plain; charset=utf-8'],
    ['docs/v.svg', 'text/plain; charset=utf-8'],
    ['docs/v.svg?as=picture', 'image/svg+xml'],
    ['page.html?as=picture', 'text/plain; charset=utf-8'],
    ['p.png', 'image/png'],
  ] as const) {
    const { headers } = await me.get(at(`raw/main/${path}`))
    expect([path, headers['content-type'], headers['x-content-type-options']]).toEqual([path, type, 'nosniff'])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; (style-src 'unsafe-inline'; )?sandbox$/)
  }
  expect((await me.get(at('raw/main/page.html?inline=false'))).headers['content-disposition']).toMatch(/^attachment/)
  const zip = await me.get(at('-/archive/main/x.zip'))
  expect([zip.status, zip.headers['content-type']]).toEqual([200, 'application/zip'])
  expect((await me.get(at('-/archive/main/x.exe'))).status).toBe(404)
})

test('a pointer of Git LFS shows its size and gives its content; without it, it says so', async () => {
  const content = 'large\n'.repeat(100)
  const oid = createHash('sha256').update(content).digest('hex')
  const pointer = (id: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`
  const large = await forge.project({ owner, files: { 'a.bin': pointer(oid), 'b.bin': pointer('0'.repeat(64)) } })
  await storeLargeFile(forge.app, large.id, Readable.from([Buffer.from(content)]), { oid, size: content.length })
  expect((await me.get(`/${large.full_path}/blob/main/a.bin`)).text).toContain('Stored with Git LFS, 600 bytes.')
  expect((await me.get(`/${large.full_path}/raw/main/a.bin`)).text).toBe(content)
  expect((await me.get(`/${large.full_path}/blob/main/b.bin`)).text).toContain('is not here yet')
  expect((await me.get(`/${large.full_path}/raw/main/b.bin`)).text).toBe(pointer('0'.repeat(64)))
})

test('a link shows where it leads, and a submodule its commit', async () => {
  const other = await forge.project({
    owner,
    files: { 'README.md': 'x', '.gitmodules': '[submodule "m"]\n\tpath = module\n\turl = ../lib.git\n' },
  })
  const modules = await git(other.dir, 'rev-parse', 'main:.gitmodules')
  const blob = await git(other.dir, 'rev-parse', 'main:README.md')
  const listed = `100644 blob ${modules}\t.gitmodules\n120000 blob ${blob}\tlink\n160000 commit ${'1'.repeat(40)}\tmodule\n`
  const tree = await gitWriting(other.dir, listed, 'mktree', '--missing')
  const commit = await git(other.dir, 'commit-tree', '-m', 'Links', tree)
  await git(other.dir, 'update-ref', 'refs/heads/links', commit)
  const folder = (await me.get(`/${other.full_path}/tree/links`)).text
  expect(folder).toContain('@ 11111111')
  expect(folder).toContain(`href="/${owner.username}/lib/tree/${'1'.repeat(40)}"`)
  expect((await me.get(`/${other.full_path}/blob/links/link`)).text).toContain('This is a symbolic link to')
})

test('the blame of a file names the commit of each range of lines', async () => {
  const { text, status } = await me.get(at('blame/main/src/main.ts'))
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(text).toMatch(/Add the first files.*id="L1".*Change main.*id="L2"/s)
  expect((await me.get(at('blame/main/empty.txt'))).text).toContain('Nobody has written a line yet.')
  const paged = (await me.get(at('blame/main/many.txt?page=2'))).text
  expect([paged.includes('id="L1001"'), paged.includes('id="L1000"'), paged.includes('Page 2 of 30')]).toEqual([true, false, true])
})

test('the tree beside a file asks for one folder at a time; who may not read the code gets none', async () => {
  const root = JSON.parse((await anonymous.get(at('tree_entries/main'))).text)
  expect(root.rows[0]).toEqual({ name: 'docs', type: 'tree', address: at('tree/main/docs') })
  const docs = JSON.parse((await anonymous.get(at('tree_entries/main/docs'))).text)
  expect([docs.rows.map(({ name }: { name: string }) => name), docs.left]).toEqual([['a.md', 'v.svg'], 0])
  for (const path of ['tree_entries/main/none', 'tree_entries/none', 'tree_entries/main/page.html'])
    expect([path, (await anonymous.get(at(path))).status]).toEqual([path, 404])
  const hidden = await forge.project({ owner, visibility: 'private' })
  expect((await anonymous.get(`/${hidden.full_path}/tree_entries/main`)).status).toBeGreaterThanOrEqual(302)
})

test('a README that can be rendered comes before plain text, and one that is a link is followed', async () => {
  const shown = async (files: Record<string, string>, links: Record<string, string> = {}) => {
    const own = await forge.project({ owner, files })
    const entries = await git(own.dir, 'ls-tree', 'main')
    const blobs = await Promise.all(Object.entries(links).map(([, target]) => gitWriting(own.dir, target, 'hash-object', '-w', '--stdin')))
    const more = Object.keys(links).map((name, index) => `120000 blob ${blobs[index]}\t${name}`)
    const tree = await gitWriting(own.dir, `${[entries, ...more].join('\n')}\n`, 'mktree')
    await git(own.dir, 'update-ref', 'refs/heads/links', await git(own.dir, 'commit-tree', '-m', 'Links', tree))
    const { text } = await me.get(`/${own.full_path}/tree/links`)
    return /<section class="file readme" aria-label="([^"]*)".*?<div class="prose">(.*?)<\/div>/s.exec(text)?.slice(1)
  }
  expect((await shown({ README: 'plain', 'README.adoc': '= Title' }))?.[0]).toBe('README.adoc')
  expect((await shown({ 'README.txt': 'plain', 'readme.md': '# Title' }))?.[0]).toBe('readme.md')
  expect(await shown({ 'README.rst': 'Title\n=====' })).toEqual(['README.rst', expect.stringContaining('=====')])
  expect(await shown({ 'docs/about.md': '# About\n' }, { 'README.md': 'docs/about.md' })).toEqual([
    'about.md',
    expect.stringContaining('About</h2>'),
  ])
  for (const target of ['../../etc/passwd', '/etc/passwd', 'README.md', 'docs', 'none'])
    expect([target, await shown({ 'docs/about.md': 'x' }, { 'README.md': target })]).toEqual([target, undefined])
})

test('files are found by letters of their path, with script or without', async () => {
  const found = (await me.get(at('find_file/main?query=smts'))).text
  expect([found.includes('src/main.ts</bdi>'), found.includes('README.md</bdi>')]).toEqual([true, false])
  expect((await me.get(at('find_file/main?query=zzz'))).text).toContain('No path contains “zzz”.')
  expect(JSON.parse((await me.get(at('files/main'))).text)).toContain('docs/a.md')
})

test('another revision is found by its name, or from a list', async () => {
  expect((await me.get(at('refs/switch?page=blob&path=README.md&ref=v1'))).location).toBe(at('blob/v1/README.md'))
  expect((await me.get(at('refs/switch?ref=mai'))).text).toContain(`href="${at('tree/main')}"`)
  expect((await me.get(at('refs/switch?ref=%3Cb%3E'))).text).toContain('No branch, tag or commit is called “&lt;b&gt;”.')
})

test('only the lines that somebody edits change: others keep their bytes and their breaks', async () => {
  const mixed = 'one\r\ntwo\nthree\rfour\r\n'
  const own = await forge.project({ owner, files: { 'mixed.txt': mixed } })
  const path = `/${own.full_path}/edit/main/mixed.txt`
  const content = 'one\r\nTWO\r\nthree\r\nfour\r\n'
  await me.submit(path, path, { file_path: 'mixed.txt', content, commit_message: 'Subject\r\n\r\nBody\r\n\r\nCc: Ada', branch: 'main' })
  expect((await me.get(`/${own.full_path}/raw/main/mixed.txt`)).text).toBe('one\r\nTWO\r\nthree\rfour\r\n')
  expect(await git(own.dir, 'log', '-1', '--format=%B|%(trailers:key=Cc)')).toBe('Subject\n\nBody\n\nCc: Ada|Cc: Ada')
})

test.each([
  ['of another encoding', 'Y2Fm6Q=='],
  ['with NUL behind much text', Buffer.from(`${'a'.repeat(9_000)}\0`).toString('base64')],
])('a file %s has no form, which says why, and none changes or moves it', async (_, content) => {
  const own = await forge.project({ owner })
  const actions = [{ action: 'create', file_path: 'odd.txt', content, encoding: 'base64' }]
  const client = forge.as(forge.root)
  await client.post(`/projects/${own.id}/repository/commits`, { branch: 'main', commit_message: 'Add', actions })
  const path = `/${own.full_path}/edit/main/odd.txt`
  const before = await git(own.dir, 'rev-parse', 'main')
  const shown = await me.get(path)
  expect([shown.status, shown.text.includes(sentences.not_editable), shown.text.includes('<textarea')]).toEqual([200, true, false])
  const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
  for (const file_path of ['odd.txt', 'moved.txt']) {
    const sent = { form_token, file_path, content: 'caf', commit_message: 'Edit', branch: 'main' }
    const refused = await me.post(path, sent, { host: 'gitstead.test', origin: 'http://gitstead.test' })
    expect([refused.status, refused.text.includes(sentences.not_editable)]).toEqual([422, true])
  }
  expect(await git(own.dir, 'rev-parse', 'main')).toBe(before)
})

test('a form with NUL in a field commits nothing', async () => {
  const own = await forge.project({ owner, files: { 'a.txt': 'one\n' } })
  const path = `/${own.full_path}/edit/main/a.txt`
  const before = await git(own.dir, 'rev-parse', 'main')
  const sent = { file_path: 'a.txt', content: 'one\0two', commit_message: 'Edit', branch: 'main' }
  const refused = await me.submit(path, path, sent)
  expect([refused.status, refused.text.includes('onetwo')]).toEqual([422, true])
  expect(await git(own.dir, 'rev-parse', 'main')).toBe(before)
})

test('a file is edited by a commit on its branch, and keeps the line breaks it has', async () => {
  const own = await forge.project({ owner, files: { 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'one\n' } })
  const path = (rest: string) => `/${own.full_path}/${rest}`
  const shown = await me.get(path('edit/main/a.txt'))
  expect([shown.status, readDocument(shown.text).faults, shown.text.includes('Update a.txt')]).toEqual([200, [], true])
  for (const [name, content] of [
    ['a.txt', 'one\r\nthree\r\n'],
    ['b.txt', 'one\r\nthree'],
  ] as const) {
    const sent = { file_path: name, content, commit_message: `Change ${name}`, branch: 'main' }
    expect((await me.submit(path(`edit/main/${name}`), path(`edit/main/${name}`), sent)).location).toBe(path(`blob/main/${name}`))
  }
  expect(await git(own.dir, 'show', 'main:a.txt')).toBe('one\r\nthree')
  expect(await git(own.dir, 'show', 'main:b.txt')).toBe('one\nthree')
  expect((await me.get(path('blob/main/b.txt'))).text).toContain('Saved b.txt on main.')
})

test('a change goes to a new branch where another name is typed, and a file can be renamed', async () => {
  const sent = { file_path: 'src/moved.ts', content: 'let z\n', commit_message: 'Move', branch: 'topic/one' }
  const { location } = await me.submit(at('edit/main/src/main.ts'), at('edit/main/src/main.ts'), sent)
  // There, the branch is offered as a merge request.
  expect(location).toBe(at('blob/topic/one/src/moved.ts?committed=true'))
  expect((await me.get(at('tree/topic/one/src'))).text).not.toContain('main.ts</bdi>')
})

test('what somebody else has changed meanwhile is shown with the text that was typed, which is saved only on purpose', async () => {
  const own = await forge.project({ owner, files: { 'a.txt': 'one\n' } })
  const address = `/${own.full_path}/edit/main/a.txt`
  const read = (text: string) => /name="last_commit_id" value="([^"]+)"/.exec(text)?.[1] as string
  const token = (text: string) => /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  const { text } = await me.get(address)
  const fields = { form_token: token(text), last_commit_id: read(text), file_path: 'a.txt', commit_message: 'Mine', branch: 'main' }
  const theirs = { branch: 'main', content: 'theirs\n', commit_message: 'Theirs' }
  await forge.as(owner).put(`/projects/${own.id}/repository/files/a.txt`, theirs)

  const refused = await me.post(address, { ...fields, content: 'mine\n' })
  expect([refused.status, readDocument(refused.text).faults]).toEqual([422, []])
  expect(refused.text).toContain('Somebody has changed this file since you opened it.')
  expect(refused.text).toMatch(/-theirs\n\+mine/)
  expect(refused.text).toContain('\nmine\n</textarea>')
  expect(await git(own.dir, 'show', 'main:a.txt')).toBe('theirs')

  const saved = await me.post(address, { ...fields, last_commit_id: read(refused.text), content: 'mine\n' })
  expect([saved.status, await git(own.dir, 'show', 'main:a.txt')]).toEqual([303, 'mine'])
})

test('wrong input is refused with the text kept', async () => {
  const sent = { file_path: '../x', content: 'my text', commit_message: 'x', branch: 'main' }
  const refused = await me.submit(at('new/main/src'), at('new/main/src'), sent)
  expect([refused.status, refused.text.includes('my text'), refused.text.includes('role="alert"')]).toEqual([422, true, true])
  const silent = await me.submit(at('new/main'), at('new/main'), { ...sent, file_path: 'a', commit_message: ' ' })
  expect([silent.status, silent.text.includes('my text')]).toEqual([422, true])
  const taken = await me.submit(at('new/main'), at('new/main'), { ...sent, file_path: 'README.md' })
  expect([taken.status, taken.text.includes('already exists')]).toEqual([422, true])
})

test('new files and folders, also in an empty repository', async () => {
  const empty = await forge.project({ owner, files: null })
  const path = (rest: string) => `/${empty.full_path}/${rest}`
  const first = { file_path: 'a/b.txt', content: 'x\r\ny', commit_message: 'First', branch: 'main' }
  expect((await me.submit(path('new/main'), path('new/main'), first)).location).toBe(path('blob/main/a/b.txt'))
  expect(await git(empty.dir, 'show', 'main:a/b.txt')).toBe('x\ny')
  const folder = { file_path: 'c', commit_message: 'Folder', branch: 'main' }
  expect((await me.submit(path('create_dir/main/a'), path('create_dir/main/a'), folder)).location).toBe(path('blob/main/a/c/.gitkeep'))
})

test('a file is deleted by a commit, and not where it has changed meanwhile', async () => {
  const own = await forge.project({ owner, files: { 'a.txt': 'one\n', 'b.txt': 'x' } })
  const address = `/${own.full_path}/blob/main/a.txt`
  const sent = { commit_message: 'Delete it', branch: 'main' }
  const stale = await me.submit(address, address, { ...sent, last_commit_id: '1'.repeat(40) })
  expect([stale.status, stale.text.includes('Somebody has changed this file')]).toEqual([422, true])
  expect((await me.submit(address, address, sent)).location).toBe(`/${own.full_path}/tree/main`)
  expect((await me.get(address)).status).toBe(404)
})

test('who may read and not push is offered a fork, who may not push to the branch a new one, visitors a sign-in', async () => {
  const stranger = await signedIn(await forge.user({ password }))
  const refused = await stranger.get(at('edit/main/src/main.ts'))
  expect([refused.status, refused.text.includes('value="edit/main/src/main.ts"'), readDocument(refused.text).faults]).toEqual([
    403,
    true,
    [],
  ])
  const forked = await stranger.submit(at('edit/main/src/main.ts'), at('forks'), { continue_to: 'edit/main/src/main.ts' })
  await forge.drain()
  const fork = String(forked.location).split('/import')[0]
  expect((await stranger.get(forked.location ?? '')).location).toBe(`${fork}/edit/main/src/main.ts`)
  // Nothing but such a form is led to.
  for (const elsewhere of ['/evil.example', '//evil.example', 'settings/repository', 'edit/main/a\r\nSet-Cookie: x'])
    expect((await stranger.get(`${fork}/import?continue_to=${encodeURIComponent(elsewhere)}`)).location).toBe(fork)
  expect((await stranger.get(at('edit/main/src/main.ts'))).text).toContain(`href="${fork}/edit/main/src/main.ts"`)
  const change = { file_path: 'src/main.ts', content: 'let c\n', commit_message: 'Shorten', branch: 'main' }
  const saved = await stranger.submit(`${fork}/edit/main/src/main.ts`, `${fork}/edit/main/src/main.ts`, change)
  const proposal = (await stranger.get(saved.location ?? '')).text
  expect(proposal).toContain(`href="${at('merge_requests/new?')}`)
  expect((await anonymous.get(at('edit/main/src/main.ts'))).location).toContain('/users/sign_in')
  const developer = await forge.user({ password })
  const guarded = await forge.project({ owner, developer, files: { 'a.txt': 'one\n' } })
  const theirs = await signedIn(developer)
  const { text } = await theirs.get(`/${guarded.full_path}/edit/main/a.txt`)
  expect([text.includes('You may not push to main'), new RegExp(`value="${developer.username}-patch-`).test(text)]).toEqual([true, true])
  const denied = { file_path: 'a.txt', content: 'two', commit_message: 'x', branch: 'main' }
  const answer = await theirs.submit(`/${guarded.full_path}/edit/main/a.txt`, `/${guarded.full_path}/edit/main/a.txt`, denied)
  expect([answer.status, answer.text.includes('two')]).toEqual([403, true])
})

test(
  'a folder of 100,000 entries has pages, and its files are found',
  inFullRun('3 s of processor. Its pages are tested with fewer entries.'),
  async () => {
    const big = await forge.project({ owner })
    const blob = await git(big.dir, 'rev-parse', 'main:README.md')
    const entries = Array.from({ length: 100_000 }, (_, index) => `100644 blob ${blob}\tfile${String(index).padStart(6, '0')}.txt\n`)
    const tree = await gitWriting(big.dir, entries.join(''), 'mktree')
    await git(big.dir, 'update-ref', 'refs/heads/big', await git(big.dir, 'commit-tree', '-p', 'main', '-m', 'Big', tree))
    const last = await me.get(`/${big.full_path}/tree/big?page=100`)
    expect([last.status, last.text.includes('file099999.txt'), last.text.includes('Page 100 of 100')]).toEqual([200, true, true])
    expect(last.text).toContain('Big</bdi></a>')
    const found = await me.get(`/${big.full_path}/find_file/big?query=99999`)
    expect([found.text.includes('file099999.txt'), found.text.includes('file000001')]).toEqual([true, false])
    expect(JSON.parse((await me.get(`/${big.full_path}/files/big`)).text)).toHaveLength(100_000)
  },
)

test(
  'a file of 100 MB is offered and never held',
  inFullRun('2 s of processor. A file of 20 MB comes through in features/repository/files.'),
  async () => {
    const big = await forge.project({ owner })
    const fill = `blob\nmark :1\ndata ${100 * 1024 * 1024}\n${'x'.repeat(100 * 1024 * 1024)}\ncommit refs/heads/big\ncommitter A <a@b> 0 +0000\ndata 1\nx\nM 100644 :1 big.txt\n`
    await gitWriting(big.dir, fill, 'fast-import', '--quiet')
    const shown = await me.get(`/${big.full_path}/blob/big/big.txt`)
    expect([shown.status, shown.text.includes('100 MB: too large to be shown here'), shown.text.length < 20_000]).toEqual([200, true, true])
    expect((await me.get(`/${big.full_path}/edit/big/big.txt`)).text).toContain('Only text in UTF-8 of up to 256 KB')
    expect((await me.get(`/${big.full_path}/blame/big/big.txt`)).text).toContain('too large to be shown here')
  },
)

test('a page costs a fixed number of statements and processes, however long its list', async () => {
  const few = await forge.project({ owner, files: { a: '1', b: '2' } })
  const many = await forge.project({
    owner,
    files: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, String(index)])),
  })
  // The first page of all reads what the frame keeps.
  await me.get(`/${(await forge.project({ owner })).full_path}/tree/main`)
  for (const rest of ['tree/main', 'blob/main/README.md', 'find_file/main', 'blame/main/README.md']) {
    const costs: unknown[] = []
    for (const { full_path, dir } of [few, many]) {
      const file = await git(dir, 'ls-tree', '--name-only', 'main').then((names) => names.split('\n')[0])
      const address = `/${full_path}/${rest.replace('README.md', String(file))}`
      costs.push(await forge.cost(() => me.get(address)))
    }
    expect([rest, costs[1]]).toEqual([rest, costs[0]])
  }
})
