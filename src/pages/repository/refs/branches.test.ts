/** Branches in a browser: what is listed, who may create and delete, and what happens when two do so at once. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { branchSentences } from './sentences.ts'

let forge: Forge
let developer: TestUser
let reporter: TestUser
let me: Browser

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user({ password })
  reporter = await forge.user({ password })
  me = await signedIn(forge, developer)
})

/** `main` of three commits, `old` behind it, `work` one ahead and two behind; `fresh` has a commit of today. */
async function seeded(): Promise<TestProject> {
  const project = await forge.project({
    developer,
    reporter,
    visibility: 'private',
    commits: [{ files: { a: '1' } }, { files: { a: '2' } }, { files: { a: '3' } }],
  })
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  await git(project.dir, 'branch', 'old', 'main~1')
  await git(project.dir, 'branch', 'work', await git(project.dir, 'commit-tree', '-p', 'main~2', '-m', 'Work <b>', tree))
  return project
}

const rowOf = (text: string, name: string) =>
  text.split('<li>').find((row) => row.includes(`<bdi>${name}</bdi>`) && row.includes('divergence')) ?? ''

test('the list shows how far each branch is ahead and behind, and which are merged, protected and the default', async () => {
  const project = await seeded()
  const { text, status } = await me.get(`/${project.full_path}/branches/all`)
  expect([status, readDocument(text).faults]).toEqual([200, []])
  expect(rowOf(text, 'old')).toMatch(/>merged<.*1 behind, 0 ahead/s)
  expect(rowOf(text, 'work')).toMatch(/2 behind, 1 ahead/)
  expect(rowOf(text, 'work')).not.toContain('>merged<')
  expect(text).toMatch(/<bdi>main<\/bdi><\/a> <span class="tag">default<\/span> <span class="tag">protected<\/span>/)
  expect(text).toContain('Work &lt;b&gt;')
  expect(text).toContain(`href="/${project.full_path}/compare/main...work"`)
  expect(text).toContain(`/-/archive/work/${project.path}-work.tar.gz`)
})

test('branches are active or stale by their last commit, and the overview shows both', async () => {
  const project = await seeded()
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  const commit = (
    await forge.as(forge.root).post(`/projects/${project.id}/repository/commits`, {
      branch: 'fresh',
      start_branch: 'main',
      commit_message: 'Today',
      actions: [{ action: 'create', file_path: 'b', content: tree }],
    })
  ).body.id
  const names = async (page: string) => {
    const { text } = await me.get(`/${project.full_path}/branches${page}`)
    return ['main', 'old', 'work', 'fresh'].filter((name) => text.includes(`<bdi>${name}</bdi></a>`))
  }
  expect(commit).toMatch(/^\w{40}$/)
  expect(await names('')).toEqual(['main', 'old', 'work', 'fresh'])
  expect(await names('/active')).toEqual(['work', 'fresh'])
  expect(await names('/stale')).toEqual(['main', 'old'])
  expect(await names('/all?search=WOR')).toEqual(['work'])
  expect((await me.get(`/${project.full_path}/branches/unheard`)).status).toBe(404)
  const { text } = await me.get(`/${project.full_path}/branches/all?search=%3Cb%3E`)
  expect(text).toContain(branchSentences.noneFound('<b>').replace('<b>', '&lt;b&gt;'))
})

test('an empty repository says so, and offers nothing to delete', async () => {
  const project = await forge.project({ developer, files: null })
  const { text } = await me.get(`/${project.full_path}/branches`)
  expect(text).toContain(branchSentences.none)
  expect(text).not.toContain('delete_merged')
})

test('a developer creates a branch and is led to it; what is refused stands by its field with the text kept', async () => {
  const project = await seeded()
  const create = (branch: string, ref: string) =>
    me.submit(`/${project.full_path}/branches/new`, `/${project.full_path}/branches`, { branch, ref })
  const made = await create('feature/"quoted"', 'old')
  expect([made.status, made.location]).toEqual([303, `/${project.full_path}/tree/feature/%22quoted%22`])
  expect(await noticeAt(me, made.location)).toBe(branchSentences.created('feature/"quoted"'))
  expect(await git(project.dir, 'rev-parse', 'feature/"quoted"')).toBe(await git(project.dir, 'rev-parse', 'old'))
  for (const [branch, ref, field, sentence] of [
    ['feature/"quoted"', 'old', 'branch', 'Branch already exists'],
    ['a..b', 'old', 'branch', 'Branch name is invalid'],
    ['', 'old', 'branch', 'Branch name is invalid'],
    ['main/x', 'old', 'branch', 'Branch name is that of a folder of branches, or begins with the name of a branch'],
    ['next', 'nothing', 'ref', 'Invalid reference name'],
  ] as const) {
    const { status, text } = await create(branch, ref)
    expect([branch, status, readDocument(text).faults]).toEqual([branch, 422, []])
    expect(text).toContain(`<p class="error" id="${field}-error">${sentence}</p>`)
    expect(text).toContain(`name="branch"${field === 'branch' ? ' required' : ' required'}`)
    expect(text).toContain(` value="${branch.replaceAll('"', '&quot;')}"`)
  }
})

test('of two who create the same branch at once one is led to it, and the other keeps what they typed', async () => {
  const project = await seeded()
  const create = () => me.submit(`/${project.full_path}/branches/new`, `/${project.full_path}/branches`, { branch: 'twice', ref: 'main' })
  const answers = await Promise.all([create(), create()])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 422])
})

test('a protected name is refused to developers with the reason', async () => {
  const project = await seeded()
  await forge.as(forge.root).post(`/projects/${project.id}/protected_branches`, { name: 'release/*' })
  const { status, text } = await me.submit(`/${project.full_path}/branches/new`, `/${project.full_path}/branches`, {
    branch: 'release/1',
    ref: 'main',
  })
  expect([status, text.includes('You are not allowed to push code to protected branches on this project.')]).toEqual([422, true])
})

test('a branch is deleted as it was seen: one that has moved meanwhile stays, and one that is gone is no error', async () => {
  const project = await seeded()
  const at = `/${project.full_path}/branches`
  const seen = { name: 'work', oid: await git(project.dir, 'rev-parse', 'work'), back: `${at}/all` }
  await me.get(at)
  const { text } = await me.get(`${at}/all`)
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  const remove = (fields: Record<string, string>) => me.post(`${at}/delete`, { form_token: token, ...fields })
  await git(project.dir, 'update-ref', 'refs/heads/work', 'main')
  const moved = await remove(seen)
  expect([moved.status, moved.location, await noticeAt(me, moved.location)]).toEqual([303, `${at}/all`, branchSentences.moved('work')])
  expect(await git(project.dir, 'branch', '--list', 'work')).toContain('work')
  const gone = { ...seen, oid: await git(project.dir, 'rev-parse', 'main') }
  expect(await noticeAt(me, (await remove(gone)).location)).toBe(branchSentences.deleted('work'))
  expect(await git(project.dir, 'branch', '--list', 'work')).toBe('')
  expect(await noticeAt(me, (await remove(gone)).location)).toBe(branchSentences.gone('work'))
  const elsewhere = await remove({ ...gone, back: 'https://elsewhere.example/' })
  expect(elsewhere.location).toBe(at)
  const main = await remove({ name: 'main', oid: gone.oid })
  expect([main.status, main.text.includes('The default branch of a project cannot be deleted.')]).toEqual([400, true])
})

test('merged branches are deleted together, and the page says how many', async () => {
  const project = await seeded()
  await git(project.dir, 'branch', 'older', 'main~2')
  const answer = await me.submit(`/${project.full_path}/branches`, `/${project.full_path}/branches/delete_merged`)
  expect(await noticeAt(me, answer.location)).toBe('2 merged branches deleted.')
  expect(await git(project.dir, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('main\nwork')
  const again = await me.submit(`/${project.full_path}/branches`, `/${project.full_path}/branches/delete_merged`)
  expect(await noticeAt(me, again.location)).toBe(branchSentences.deletedMerged(0))
})

test('reporters see no forms that create or delete, and get 403 for sending one; in an archived project so does everyone', async () => {
  const project = await seeded()
  const reader = await signedIn(forge, reporter)
  const { text } = await reader.get(`/${project.full_path}/branches`)
  expect([text.includes('branches/new'), text.includes('branches/delete')]).toEqual([false, false])
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  expect((await reader.get(`/${project.full_path}/branches/new`)).status).toBe(403)
  for (const [address, fields] of [
    ['branches', { branch: 'x', ref: 'main' }],
    ['branches/delete', { name: 'old', oid: await git(project.dir, 'rev-parse', 'old') }],
    ['branches/delete_merged', {}],
  ] as const) {
    expect([address, (await reader.post(`/${project.full_path}/${address}`, { form_token: token, ...fields })).status]).toEqual([
      address,
      403,
    ])
  }
  await forge.as(forge.root).post(`/projects/${project.id}/archive`)
  expect((await me.get(`/${project.full_path}/branches`)).text).not.toContain('branches/new')
  expect((await me.get(`/${project.full_path}/branches/new`)).status).toBe(403)
  expect(await git(project.dir, 'branch', '--list', 'old')).toContain('old')
})

test('hostile names lead where they say: to files, comparison, archive and deletion', async () => {
  const project = await seeded()
  const names = ['a@b', "it's", '"><script>', 'ünï/cödé', 'x'.repeat(200), 'main-1', '100%25', 'a&b=c', 'refs/x', 'HEAD/x', 'a#b', 'a+b']
  for (const name of names) await git(project.dir, 'update-ref', `refs/heads/${name}`, 'old')
  for (const name of names) await git(project.dir, 'update-ref', `refs/tags/${name}`, 'main')
  const { text } = await me.get(`/${project.full_path}/branches/all`)
  expect([readDocument(text).faults, text.includes('<script>"')]).toEqual([[], false])
  const addresses = readDocument(text).links.filter((link) => /\/(tree|archive)\//.test(link))
  const statuses = new Set()
  for (const address of addresses.filter((link) => !link.endsWith('.bz2'))) statuses.add((await me.get(address)).status)
  expect([addresses.length > names.length * 3, [...statuses]]).toEqual([true, [200]])
  for (const name of names) {
    const page = `/${project.full_path}/branches/all?search=${encodeURIComponent(`^${name}$`)}`
    const { location } = await me.submit(page, `/${project.full_path}/branches/delete`)
    expect(await noticeAt(me, location)).toBe(branchSentences.deleted(name))
  }
  expect(await git(project.dir, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('main\nold\nwork')
})
