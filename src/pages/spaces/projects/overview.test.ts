/** The page of a project: what it shows to whom, stars, requests, go get, and what it costs. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&\u202e`
let forge: Forge
let owner: TestUser
let stranger: TestUser
let project: TestProject
let mine: Browser
let theirs: Browser
let anonymous: Browser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  stranger = await forge.user({ password })
  project = await forge.project({
    owner,
    visibility: 'public',
    name: 'Shapes',
    commits: [{ files: { 'README.md': '# Hello\n', LICENSE: 'MIT\n', 'src/a.ts': 'let a = 1\n', 'src/b.py': 'b = 1\n' } }],
  })
  await git(project.dir, 'tag', 'v1', 'main')
  await forge
    .as(owner)
    .put(`/projects/${project.id}`, { description: `About ${hostile}`, topics: [hostile, 'maths'], request_access_enabled: true })
  await forge
    .as(owner)
    .post(`/projects/${project.id}/badges`, { link_url: 'https://ci.example/%{project_path}', image_url: 'https://ci.example/b.svg' })
  mine = await signedIn(owner)
  theirs = await signedIn(stranger)
  anonymous = browserOf(forge.server)
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return me
}

const at = () => `/${project.full_path}`

test('it shows what the project is, how to get it, its files and what is about them', async () => {
  const { status, text } = await anonymous.get(at())
  expect([status, readDocument(text).faults, text.includes('<b>"')]).toEqual([200, [], false])
  for (const part of [
    '<bdi>Shapes</bdi>',
    'About &lt;b&gt;',
    `http://gitstead.test${at()}.git`,
    'README.md',
    'TypeScript',
    'Python',
    `href="${at()}/blob/main/LICENSE"`,
    `href="${at()}/tree/refs/tags/v1"`,
    '1 tag',
    'https://ci.example/b.svg',
    'maths',
  ]) {
    expect(text).toContain(part)
  }
  expect(text).not.toContain(`action="${at()}/star"`)
})

test('a star is given and taken back, and the page counts it', async () => {
  expect((await theirs.submit(at(), `${at()}/star`)).location).toBe(at())
  const { text } = await theirs.get(at())
  expect([text.includes('1 star<'), text.includes('You starred Shapes')]).toEqual([true, true])
  expect((await theirs.get(`${at()}/stars`)).text).toContain(`@${stranger.username}`)
  expect((await theirs.submit(at(), `${at()}/unstar`)).status).toBe(303)
  expect((await theirs.get(at())).text).toContain('0 stars<')
  expect((await theirs.get(`${at()}/stars`)).text).toContain('Nobody has starred this project yet')
})

test('who is no member requests access and withdraws it; a member leaves; the owner of a personal project can’t', async () => {
  expect((await theirs.submit(at(), `${at()}/project_members/request_access`)).location).toBe(at())
  expect((await theirs.get(at())).text).toContain('You requested access')
  expect((await theirs.submit(at(), `${at()}/project_members/requests/${stranger.id}/deny`)).status).toBe(303)
  expect((await mine.get(at())).text).not.toMatch(/Leave this project|Request access/)
  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: stranger.id, access_level: 30 })
  expect((await theirs.submit(at(), `${at()}/project_members/${stranger.id}/remove`)).location).toBe('/dashboard/projects')
  expect((await theirs.get(at())).text).toContain('Request access')
})

test('notices say that it is archived, being imported, or that its import has failed, with the reason for maintainers', async () => {
  const other = await forge.project({ owner, visibility: 'public', files: null })
  const set = (change: Record<string, unknown>) => forge.app.db.updateTable('projects').set(change).where('id', '=', other.id).execute()
  const shown = async (browser: Browser, page = '') => (await browser.get(`/${other.full_path}${page}`)).text
  await set({ archived: true })
  expect(await shown(anonymous)).toContain('This project is archived')
  await set({ archived: false, import_status: 'started' })
  expect(await shown(anonymous)).toContain('Importing the repository')
  await set({ import_status: 'failed', import_error: 'no route to secret.example', import_url: 'https://secret.example/x.git' })
  expect(await shown(anonymous)).toContain('could not be imported')
  expect(await shown(anonymous, '/import')).not.toContain('secret.example')
  expect(await shown(mine, '/import')).toContain('no route to secret.example')
})

test('an empty repository says how to fill it, over each protocol, to those who may', async () => {
  const forms = (text: string) =>
    [...text.slice(text.indexOf('empty-repository')).matchAll(/<a class="button[^>]*href="([^"]+)"/g)].map(([, href]) => href)
  const empty = await forge.project({ owner, files: null, visibility: 'public' })
  const text = (await mine.get(`/${empty.full_path}`)).text
  expect(text).toContain('git push --set-upstream origin main')
  expect(text).toContain(`git remote add origin http://gitstead.test/${empty.full_path}.git`)
  expect(text.match(/<copy-text class="copy block">/g)).toHaveLength(2)
  const at = `/${empty.full_path}`
  expect(forms(text)).toEqual([`${at}/new/main?file_path=README.md`, `${at}/create/main`, `${at}/import`])
  const readme = (await mine.get(`${at}/new/main?file_path=README.md`)).text
  expect([readDocument(readme).faults, readme.includes('value="README.md"'), readme.includes('Add README.md')]).toEqual([[], true, true])
  const seen = (await anonymous.get(`/${empty.full_path}`)).text
  expect([seen.includes('This repository is empty'), seen.includes('git push')]).toEqual([true, false])
})

test('a guest of a private project sees it, and none of its code', async () => {
  const hidden = await forge.project({ owner, guest: stranger, visibility: 'private' })
  const { status, text } = await theirs.get(`/${hidden.full_path}`)
  expect([status, text.includes('The code is for members'), text.includes('README')]).toEqual([200, true, false])
})

test('go get finds the repository from any import path below it; a hidden project looks like a missing one', async () => {
  const hidden = await forge.project({ owner, visibility: 'private' })
  const meta = (full_path: string) =>
    `<meta name="go-import" content="gitstead.test/${full_path} git http://gitstead.test/${full_path}.git">`
  for (const path of [at(), `${at()}/src/deep/pkg`, `${at()}.git`, `${at()}/v2`]) {
    const { status, text, headers } = await anonymous.get(`${path}?go-get=1`)
    expect([path, status, text.includes(meta(project.full_path)), text.length < 600]).toEqual([path, 200, true, true])
    expect(String(headers['content-security-policy'])).toContain("default-src 'none'")
  }
  const bare = (text: string, path: string) => text.replaceAll(path, 'P')
  const [one, other] = [`${hidden.full_path}`, 'nobody/nothing']
  expect(bare((await anonymous.get(`/${one}/x?go-get=1`)).text, one)).toBe(bare((await anonymous.get(`/${other}/x?go-get=1`)).text, other))
  expect((await anonymous.get(`/a/${encodeURIComponent('"><script>')}?go-get=1`)).text).not.toContain('<script>')
})

test('it costs the same with many badges as with few', async () => {
  await theirs.get(at())
  const cost = () => forge.cost(() => theirs.get(at()))
  await cost()
  const few = await cost()
  for (let index = 0; index < 5; index += 1)
    await forge.as(owner).post(`/projects/${project.id}/badges`, { link_url: 'https://x.example/', image_url: 'https://x.example/b.svg' })
  await theirs.get(at())
  const many = await cost()
  expect([many, few.statements < 20]).toEqual([few, true])
})
