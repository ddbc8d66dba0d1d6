/** Pages of wikis. */
import { expect, test } from 'vitest'
import { commit, workTree } from '../../../../test/scripts/git/wire.ts'
import { fixturePassword, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'

test('a page shows its links to other pages, in the wiki, and runs nothing that was written', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const write = (title: string, content: string, format = 'markdown') =>
    forge.as(forge.root).post(`/projects/${project.id}/wikis`, { title, content, format })
  await write(
    'home',
    '---\ntitle: x\n---\n# Hi\n[[Über uns]] [[words|docs/a b#part]] `[[code]]` [rel](docs/c)\n\n<script>alert(1)</script><a href="javascript:alert(1)">x</a>',
  )
  await write('docs/a b', '[up](../home)')
  await write('plain', '= Plain\n\n++++\n<script>alert(2)</script>\n++++\n\nlink:docs/c[c]', 'asciidoc')
  const at = `//${project.full_path}/wikis`
  const moved = await forge.anonymous.get(at)
  expect([moved.status, moved.headers.location]).toEqual([302, `/${project.full_path}/wikis/home`])
  const { text, status } = await forge.anonymous.get(`${at}/home`)
  expect(status).toBe(200)
  const base = `http://gitstead.test/${project.full_path}/wikis`
  for (const href of ['%C3%9Cber-uns', 'docs/a-b#part', 'docs/c']) expect(text).toContain(`href="${base}/${href}"`)
  expect(text).toContain('[[code]]')
  expect(text).not.toContain('title: x')
  expect(text).not.toMatch(/<script>alert|javascript:/)
  expect((await forge.anonymous.get(`${at}/docs/a-b`)).text).toContain(`href="${base}/home"`)
  const other = await forge.anonymous.get(`${at}/plain`)
  expect(other.text).toContain('<h2 dir="auto">Plain</h2>')
  expect(other.text).toContain(`href="${base}/docs/c"`)
  expect(other.text).not.toMatch(/<script>alert|alert\(2\)/)
  expect((await forge.anonymous.get(`${at}/-/history/home`)).text).toContain('created page: home')
  const none = await forge.anonymous.get(`${at}/no/such`)
  expect([none.status, none.text.includes('There is no page no/such yet.')]).toEqual([404, true])
})

async function wikiOf(files: Record<string, string>) {
  const forge = await testForge()
  const developer = await forge.user({ name: 'Ada Lovelace', password: fixturePassword })
  const project = await forge.project({ developer, visibility: 'public' })
  const dir = await workTree(files)
  await git(dir, 'push', '--quiet', await forge.remote(`${project.full_path}.wiki`, developer), 'main')
  return { forge, developer, project, dir, at: `//${project.full_path}/wikis` }
}

test('links between files of a pushed folder lead to pages, and pictures beside them are shown', async () => {
  const gif = 'GIF89a\x01\x00\x01\x00\x00\x00\x00;'
  const { forge, at, project } = await wikiOf({
    'docs/intro.md': '[next](next.md#part) ![](img/a.gif)',
    'docs/next.md': 'Next',
    'docs/img/a.gif': gif,
  })
  const base = `http://gitstead.test/${project.full_path}/wikis/docs`
  const { text } = await forge.anonymous.get(`${at}/docs/intro`)
  expect(text).toContain(`href="${base}/next.md#part"`)
  expect(text).toContain(`src="${base}/img/a.gif"`)
  const moved = await forge.anonymous.get(`${at}/docs/next.md`)
  expect([moved.status, moved.headers.location]).toEqual([302, `/${project.full_path}/wikis/docs/next`])
  const picture = await forge.anonymous.get(`${at}/docs/img/a.gif`)
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/gif'])
  expect((await forge.anonymous.get(`${at}/docs/img/none.gif`)).status).toBe(404)
  expect((await forge.anonymous.get(`${at}/docs/img`)).status).toBe(404)
})

test('a page has the title of its front matter, its side bar, who changed it, and the tree of the others', async () => {
  const { forge, at } = await wikiOf({ 'home.md': '---\ntitle: Welcome, all\n---\nText', 'docs/deep/page.md': 'x', 'docs/other.md': 'x' })
  const { text } = await forge.anonymous.get(`${at}/docs/deep/page`)
  for (const folder of ['docs', 'deep']) expect(text).toContain(`<details open><summary><bdi>${folder}</bdi></summary>`)
  expect(text).toMatch(/aria-current="page"><bdi>page</)
  expect(text).toContain('Last changed by')
  const home = (await forge.anonymous.get(`${at}/home`)).text
  expect(home).toContain('<h1><bdi>Welcome, all</bdi></h1>')
  await forge
    .as(forge.root)
    .post(`/projects/${encodeURIComponent(at.slice(2).replace('/wikis', ''))}/wikis`, { title: '_sidebar', content: '[only this](home)' })
  const beside = (await forge.anonymous.get(`${at}/home`)).text
  expect(beside).toContain('only this')
  expect(beside).not.toContain('<summary><bdi>docs')
})

test('two versions of a page are compared; what has changed elsewhere is not shown, unless asked for', async () => {
  const { forge, developer, at, dir, project } = await wikiOf({ 'home.md': 'one\ntwo\n', 'other.md': 'x\n' })
  const first = (await git(dir, 'rev-parse', 'HEAD')).trim()
  await commit(dir, { 'home.md': 'one\n2\n', 'other.md': 'changed\n' }, 'Change both')
  await git(dir, 'push', '--quiet', await forge.remote(`${project.full_path}.wiki`, developer), 'main')
  const second = (await git(dir, 'rev-parse', 'HEAD')).trim()
  const history = (await forge.anonymous.get(`${at}/-/history/home`)).text
  expect(history).toContain('Compare the versions')
  const compare = (query: string) => forge.anonymous.get(`${at}/-/compare/home?${query}`)
  const { text } = await compare(`from=${first}&to=${second}`)
  expect(text).toMatch(/two[\s\S]*2/)
  expect(text).not.toContain('changed\n')
  expect((await compare(`from=${first}&to=${second}&whole=true`)).text).toContain('>other.md<')
  expect((await compare(`from=${first}&to=${first}`)).text).toContain('the same in both')
  expect((await compare(`from=${'1'.repeat(40)}&to=${second}`)).status).toBe(404)
  expect((await compare('from=main&to=main')).status).toBe(400)
  const old = (await forge.anonymous.get(`${at}/home?version=${first}`)).text
  expect(old).toContain('This is an older version of the page.')
})

test('all pages are listed in parts, and a page that is missing is offered to who may write', async () => {
  const { forge, developer, at } = await wikiOf(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`p${1000 + index}.md`, 'x'])))
  const first = (await forge.anonymous.get(`${at}/-/pages`)).text
  expect(first).toContain('Page 1 of 2')
  expect(first).not.toContain('>p1500<')
  expect((await forge.anonymous.get(`${at}/-/pages?page=2`)).text).toContain('>p1500<')
  const missing = await (await signedIn(forge, developer)).get(`${at.slice(1)}/new/page`)
  expect([missing.status, missing.text.includes('/wikis/-/new?title=new%2Fpage')]).toEqual([404, true])
})

test('a page from a form has line feeds, and so has its message; one of another encoding has no form', async () => {
  const forge = await testForge()
  const user = await forge.user({ password: fixturePassword })
  const project = await forge.project({ developer: user })
  const me = await signedIn(forge, user)
  const at = (rest: string) => `/${project.full_path}/wikis/${rest}`
  const sent = { title: 'home', content: 'a\r\nb', format: 'markdown', message: 'Say\r\n\r\nmore' }
  expect((await me.submit(at('-/new'), at('-/create'), sent)).status).toBe(303)
  const wiki = await forge.app.db.selectFrom('wikis').select('id').where('project_id', '=', project.id).executeTakeFirstOrThrow()
  const { dir } = forge.app.git.openWiki(wiki.id)
  expect(await git(dir, 'show', 'HEAD:home.md')).toBe('a\nb')
  expect(await git(dir, 'log', '-1', '--format=%B')).toBe('Say\n\nmore')

  const blob = await gitWriting(dir, 'a\0b', 'hash-object', '-w', '--stdin')
  const tree = await gitWriting(dir, `100644 blob ${blob}\thome.md\n`, 'mktree')
  const pushed = await git(dir, 'commit-tree', '-p', 'HEAD', '-m', 'Odd', tree)
  await git(dir, 'update-ref', 'HEAD', pushed)
  const shown = await me.get(at('-/edit/home'))
  expect([shown.status, shown.text.includes('This page is not text in UTF-8'), shown.text.includes('<textarea')]).toEqual([
    400,
    true,
    false,
  ])
})
