/** Editing in the browser on a branch that an open merge request opens to those who may merge it. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { sentences } from './sentences.ts'

const password = 'correct horse battery'
let forge: Forge
let maintainer: TestUser
let forker: TestUser
let me: Browser
/** The address of the fork. */
let fork: string
let fork_id: number
let request: string

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, forker] = [await forge.user({ password }), await forge.user()]
  const source = await forge.project({ maintainer, visibility: 'public', files: { 'README.md': 'one\n' } })
  const { body } = await forge.as(forker).post(`/projects/${source.id}/fork`)
  await forge.drain()
  ;[fork, fork_id] = [`/${body.path_with_namespace}`, body.id]
  const actions = [{ action: 'update', file_path: 'README.md', content: 'two\n' }]
  for (const branch of ['topic', 'aside'])
    await forge.as(forker).post(`/projects/${fork_id}/repository/commits`, { branch, start_branch: 'main', commit_message: 'Two', actions })
  const asked = { source_branch: 'topic', target_branch: 'main', title: 'Topic', target_project_id: source.id, allow_collaboration: true }
  const made = await forge.as(forker).post(`/projects/${fork_id}/merge_requests`, asked)
  request = `/projects/${source.id}/merge_requests/${made.body.iid}`
  me = await signedIn(forge, maintainer)
})

const edit = (branch: string) => `${fork}/edit/${branch}/README.md`
const sent = (more: object = {}) => ({ file_path: 'README.md', content: 'three\n', commit_message: 'Three', branch: 'topic', ...more })
const contentOf = async (branch: string) =>
  (await forge.as(forker).get(`/projects/${fork_id}/repository/files/README.md/raw?ref=${branch}`)).text

test('files of the branch are changed by who may merge, and the pages offer it there alone', async () => {
  const [there, aside] = [await me.get(`${fork}/blob/topic/README.md`), await me.get(`${fork}/blob/aside/README.md`)]
  // Elsewhere the form says that a fork is needed.
  expect([there.text.includes(edit('topic')), aside.text.includes(edit('aside'))]).toEqual([true, true])
  expect((await me.get(`${fork}/tree/topic`)).text).toContain('New file')
  expect((await me.get(`${fork}/tree/aside`)).text).not.toContain('New file')
  expect((await browserOf(forge.server).get(`${fork}/tree/topic`)).text).not.toContain('New file')
  const form = await me.get(edit('topic'))
  expect([form.status, form.text.includes(sentences.open_branch)]).toEqual([200, true])
  expect((await me.get(edit('aside'))).status).toBe(403)
  expect((await me.submit(edit('topic'), edit('topic'), sent())).status).toBe(303)
  expect(await contentOf('topic')).toBe('three\n')
})

test('no other branch is changed or created', async () => {
  for (const branch of ['aside', 'main', 'fresh']) {
    expect((await me.submit(edit('topic'), edit('topic'), sent({ branch, content: `${branch}\n` }))).status).toBeGreaterThanOrEqual(400)
    expect(await contentOf(branch)).not.toBe(`${branch}\n`)
  }
})

test('a file is added and deleted there, and once the request is closed nothing is', async () => {
  const file = { file_path: 'added.txt', content: 'x', commit_message: 'Add', branch: 'topic' }
  expect((await me.submit(`${fork}/new/topic`, `${fork}/new/topic`, file)).status).toBe(303)
  const blob = `${fork}/blob/topic/added.txt`
  expect((await me.submit(blob, blob, { commit_message: 'Delete', branch: 'topic' })).status).toBe(303)
  const form = edit('topic')
  const { text } = await me.get(form)
  const [, name = '', value = ''] = /name="([a-z_]*token)" value="([^"]*)"/.exec(text) ?? []
  await forge.as(maintainer).put(request, { state_event: 'close' })
  expect((await me.get(form)).status).toBe(403)
  const late = { [name]: value, ...sent({ content: 'four\n' }) }
  expect((await me.post(form, late, { host: 'gitstead.test', origin: 'http://gitstead.test' })).status).toBe(403)
  expect(await contentOf('topic')).toBe('three\n')
})
