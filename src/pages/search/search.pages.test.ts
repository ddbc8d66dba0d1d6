/** The page of the search: each kind of result, in everything, a group and a project. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../test/support/browser.ts'
import { engine } from '../../../test/support/database.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { signedIn } from '../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { tendIndexJob } from '../../features/search/code-index/code-index.jobs.ts'

const password = 'correct horse battery'

let forge: Forge
let ada: TestUser
let me: Browser
let anonymous: Browser
let project: TestProject
let snippetId: number

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user({ password })
  me = await signedIn(forge, ada)
  anonymous = browserOf(forge.server)
  const group = await forge.group({ owner: ada, path: 'zoo' })
  project = await forge.project({ group, owner: ada, files: { 'src/a&b.js': 'one\nlet <b>Dingo</b> = 1\n' } })
  const as = forge.as(ada)
  await as.post(`/projects/${project.id}/issues`, { title: 'Feed the dingo' })
  await as.post(`/projects/${project.id}/issues/1/notes`, { body: 'the dingo is <i>here</i>' })
  await as.post(`/projects/${project.id}/milestones`, { title: 'dingo day' })
  await as.post(`/projects/${project.id}/wikis`, { title: 'Wild dogs', content: 'one\nthe <b>Dingo</b> eats\n' })
  const snippet = { title: 'A dingo', file_name: 'song.txt', content: 'howls, dingo & <b>Dingo</b>', visibility: 'private' }
  snippetId = (await as.post(`/projects/${project.id}/snippets`, snippet)).body.id
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
})

test('each kind of result is shown with a link, and hidden from those who may not see it', async () => {
  const at = `/${project.full_path}`
  const tip = (await forge.as(ada).get(`/projects/${project.id}/repository/branches/main`)).body.commit.id
  const links: Array<[string, string]> = [
    [`project_id=${project.id}`, `${at}/blob/main/src/a%26b.js#L2`],
    [`project_id=${project.id}&scope=issues`, `${at}/issues/1`],
    [`project_id=${project.id}&scope=notes`, `${at}/issues/1#note_`],
    [`project_id=${project.id}&scope=milestones`, `${at}/milestones/1`],
    [`project_id=${project.id}&scope=wiki_blobs`, `${at}/wikis/Wild-dogs`],
    [`project_id=${project.id}&scope=snippet_titles`, `${at}/snippets/${snippetId}`],
    ['scope=snippet_titles', `${at}/snippets/${snippetId}`],
    ['scope=snippet_blobs', `${at}/snippets/${snippetId}`],
    ['scope=issues', `${at}/issues/1`],
    ['scope=blobs', `${at}/blob/${tip}/src/a%26b.js#L2`],
    [`group_id=${project.namespace_id}&scope=blobs`, `${at}/blob/${tip}/src/a%26b.js#L2`],
  ]
  for (const [query, link] of links) {
    const { status, text } = await me.get(`/search?search=dingo&${query}`)
    expect([query, status, text.includes(`href="${link}`), readDocument(text).faults]).toEqual([query, 200, true, []])
    expect(text).not.toContain('<b>Dingo')
    const outside = await anonymous.get(`/search?search=dingo&${query}`)
    expect([query, outside.text.includes(at)]).toEqual([query, false])
  }
})

test('lines of files have their numbers, and what was searched is marked', async () => {
  const { text } = await me.get(`/search?search=dingo&project_id=${project.id}`)
  expect(text).toContain('let &lt;b&gt;<mark>Dingo</mark>&lt;/b&gt; = 1\n')
  const wiki = await me.get(`/search?search=dingo&scope=wiki_blobs&project_id=${project.id}`)
  expect(wiki.text).toContain('<span>2</span> the &lt;b&gt;<mark>Dingo</mark>&lt;/b&gt; eats')
})

test('a switch makes a regular expression of the text, which finds files in all places and is kept in links', async () => {
  const expression = encodeURIComponent('<b>d\\w+go</b>')
  for (const place of ['', `&project_id=${project.id}`, `&group_id=${project.namespace_id}`]) {
    const { text } = await me.get(`/search?search=${expression}&regex=true${place}`)
    expect([place, readDocument(text).faults, text.includes('let <mark>&lt;b&gt;Dingo&lt;/b&gt;</mark> = 1\n')]).toEqual([place, [], true])
    expect(text).toMatch(/name="regex" value="true" aria-label="Regular expression" checked/)
  }
  const { text } = await me.get(`/search?search=${expression}&regex=true&project_id=${project.id}`)
  expect(text).toContain(
    `href="/search?search=${new URLSearchParams({ a: '<b>d\\w+go</b>' }).toString().slice(2)}&amp;scope=blobs&amp;regex=true">`,
  )
  expect((await me.get('/search?search=a.*b&regex=true')).text).toContain('at least 3 characters in a row')
  expect((await me.get('/search?search=%28dingo&regex=true')).text).toContain('invalid or too large')
  const inBranch = `/search?search=dingo&regex=true&project_id=${project.id}&repository_ref=other`
  expect((await me.get(inBranch)).text).toContain('in the default branch only')
  expect((await me.get('/search?search=a.*b&regex=true&scope=issues')).text).not.toContain('Regular expression')
})

test('it says that there is more than could be read', async () => {
  const files = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`many-${index}.txt`, 'wallaroo\n']))
  const { id } = await forge.project({ owner: ada, files })
  expect((await me.get(`/search?search=wallaroo&project_id=${id}`)).text).toContain('Only the first results are shown.')
})

test('it says what to do where nothing is found, nothing was typed, or the text is too short', async () => {
  expect((await me.get('/search?search=dingoes&scope=blobs')).text).toContain('No file that you may read has this text.')
  expect((await me.get('/search?search=di&scope=blobs')).text).toContain('Search for at least 3 characters.')
  expect((await me.get('/search?scope=blobs')).text).toContain('Files are found by a text in them')
  expect((await me.get('/search?search=x&project_id=999999999')).status).toBe(404)
  const here = `project_id=${project.id}`
  expect((await me.get(`/search?search=dingoes&scope=wiki_blobs&${here}`)).text).toContain('No page of the wiki has this text.')
  expect((await me.get('/search?search=dingoes&scope=snippet_blobs')).text).toContain('No snippet that you may read matches.')
})

test('the numbers of the other kinds cost about a statement each, however much there is', async () => {
  const costOf = async (query: string) => {
    const get = async () => expect((await me.get(`/search?search=dingo&${query}`)).status).toBe(200)
    // The queue looks for work meanwhile: of equal requests the cheapest counts.
    const costs = [await forge.cost(get), await forge.cost(get), await forge.cost(get)]
    return Math.min(...costs.map(({ statements }) => statements))
  }
  expect(await costOf('scope=issues')).toBeLessThanOrEqual(engine === 'postgres' ? 28 : 23)
  expect(await costOf(`project_id=${project.id}&scope=issues`)).toBeLessThanOrEqual(engine === 'postgres' ? 27 : 22)
})
