/** Creating, updating and deleting single files; what they share with commits of several is tested there. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

let forge: Forge
let dev: TestUser
let project: TestProject

const address = (path: string, at = project) => `/projects/${at.id}/repository/files/${encodeURIComponent(path)}`
const change = (rest: Record<string, unknown> = {}) => ({ branch: 'work', commit_message: 'Change', ...rest })
const contentOf = (path: string, revision = 'work') => git(project.dir, 'show', `${revision}:${path}`)

async function stateOf({ id, dir }: TestProject) {
  const events = await forge.app.db.selectFrom('events').select('id').where('project_id', '=', id).where('action', '=', 'pushed').execute()
  const intents = await forge.app.db.selectFrom('push_intents').select('id').where('project_id', '=', id).execute()
  return [await git(dir, 'for-each-ref'), events.length, intents.length]
}

beforeAll(async () => {
  forge = await testForge()
  dev = await forge.user({ name: 'Dev Eloper' })
  project = await forge.project({
    developer: dev,
    commits: [{ files: { 'README.md': 'one\n', 'a/b.txt': 'b\n', 'a/c.txt': 'c\n' } }, { files: { 'README.md': 'two\n' } }],
  })
  await git(project.dir, 'branch', 'work', 'main')
})

const odd = ['src/new file.rb', '-dash', 'ünï/cödé 😀?#%.txt', '.hidden/x', 'a.b.c', '--help']

test('a file of any name is created, updated and deleted, each by a commit of its own', async () => {
  for (const path of odd) {
    const before = await git(project.dir, 'rev-parse', 'work')
    const created = await forge.as(dev).post(address(path), change({ content: `${path}\n` }))
    expect([created.status, created.body]).toEqual([201, { file_path: path, branch: 'work' }])
    expect(await contentOf(path)).toBe(path)
    const content = Buffer.from([0, 1, 254, 255]).toString('base64')
    const updated = await forge
      .as(dev)
      .put(address(path), change({ content, encoding: 'base64', author_name: 'Ada', author_email: 'a@x.org' }))
    expect([updated.status, updated.body]).toEqual([200, { file_path: path, branch: 'work' }])
    expect(await git(project.dir, 'show', '--no-patch', '--format=%an <%ae> %cn <%ce> %s', 'work')).toBe(
      `Ada <a@x.org> ${dev.name} <${dev.email}> Change`,
    )
    expect((await forge.as(dev).get(`${address(path)}?ref=work`)).body.content).toBe(content)
    const deleted = await forge.as(dev).delete(address(path), change())
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await forge.as(dev).get(`${address(path)}?ref=work`)).status).toBe(404)
    expect(await git(project.dir, 'rev-list', '--count', `${before}..work`)).toBe('3')
  }
})

test('the parameters may stand in the query, as those of a DELETE often do', async () => {
  await forge.as(dev).post(`${address('query.txt')}?branch=work&commit_message=By+query&content=a%2Bb`)
  expect([await contentOf('query.txt'), await git(project.dir, 'show', '--no-patch', '--format=%s', 'work')]).toEqual(['a+b', 'By query'])
  const headers = { 'content-type': 'application/json' }
  const { status } = await forge.as(dev).delete(`${address('query.txt')}?branch=work&commit_message=Gone`, '', { headers })
  expect(status).toBe(204)
})

test('a new branch is started from another', async () => {
  const { status, body } = await forge
    .as(dev)
    .put(address('README.md'), change({ branch: 'patch-1', start_branch: 'main', content: 'patched' }))
  expect([status, body]).toEqual([200, { file_path: 'README.md', branch: 'patch-1' }])
  expect([await contentOf('README.md', 'patch-1'), await contentOf('README.md', 'main')]).toEqual(['patched', 'two'])
})

test('an update keeps that a file is executable, and an empty one is a file', async () => {
  const actions = [
    { action: 'create', file_path: 'run', content: 'x' },
    { action: 'chmod', file_path: 'run', execute_filemode: true },
  ]
  await forge.as(dev).post(`/projects/${project.id}/repository/commits`, change({ actions }))
  expect((await forge.as(dev).put(address('run'), change({ content: '' }))).status).toBe(200)
  expect(await git(project.dir, 'ls-tree', '--format=%(objectmode) %(objectsize)', 'work', 'run')).toBe('100755 0')
})

test('the current last_commit_id permits a change; an older one is refused', async () => {
  const last = await git(project.dir, 'rev-list', '-1', 'work', '--', 'a/b.txt')
  const stale = await git(project.dir, 'rev-parse', 'work')
  const before = await stateOf(project)
  const put = (last_commit_id: string) => forge.as(dev).put(address('a/b.txt'), change({ content: 'new', last_commit_id }))
  const remove = (last_commit_id: string) => forge.as(dev).delete(address('a/b.txt'), change({ last_commit_id }))
  const changed = 'You are attempting to update a file that has changed since you started editing it.'
  const updated = 'You are attempting to delete a file that has been previously updated.'
  expect([(await put(stale)).status, (await put('stale')).body]).toEqual([400, { message: changed }])
  expect([(await remove(stale)).status, (await remove('-n')).body]).toEqual([400, { message: updated }])
  expect(await stateOf(project)).toEqual(before)
  expect((await put(last)).status).toBe(200)
  expect((await put(last)).body).toEqual({ message: changed })
  expect((await remove(await git(project.dir, 'rev-parse', 'work'))).status).toBe(204)
})

const cannot = 'Path is one that cannot be written'
const content = 'x'

test.each([
  ['POST', 'README.md', { content }, 400, { message: 'A file with this name already exists' }],
  ['POST', 'a', { content }, 400, { message: 'A directory with this name already exists' }],
  [
    'PUT',
    'README.md',
    { content: 'two\n' },
    400,
    { message: 'The commit would change nothing: the content is identical to the current content' },
  ],
  ['PUT', 'none', { content }, 400, { message: "A file with this name doesn't exist" }],
  ['DELETE', 'none', {}, 400, { message: "A file with this name doesn't exist" }],
  ['DELETE', 'a', {}, 400, { message: "A file with this name doesn't exist" }],
  ['POST', 'a/../../etc/passwd', { content }, 400, { message: 'Path cannot include directory traversal' }],
  ['PUT', 'a/../README.md', { content }, 400, { message: 'Path cannot include directory traversal' }],
  ['DELETE', 'a/../README.md', {}, 400, { message: 'Path cannot include directory traversal' }],
  ['POST', '.git/hooks/x', { content }, 400, { message: cannot }],
  ['POST', 'a/GIT~1/config', { content }, 400, { message: cannot }],
  ['POST', 'a\nb', { content }, 400, { message: cannot }],
  ['POST', '/', { content }, 400, { message: 'You must provide a file path' }],
  ['POST', 'new', {}, 400, { error: 'content is missing' }],
  ['POST', 'new', { content: ['x'] }, 400, { error: 'content is invalid' }],
  ['POST', 'new', { content: 'no base64', encoding: 'base64' }, 400, { message: 'Content is not encoded as base64' }],
  ['POST', 'new', { content, encoding: 'rot13' }, 400, { error: 'encoding does not have a valid value' }],
  ['POST', 'new', { content, branch: undefined }, 400, { error: 'branch is missing' }],
  ['PUT', 'README.md', { content, commit_message: '' }, 400, { error: 'commit_message is empty' }],
  ['DELETE', 'README.md', { commit_message: undefined }, 400, { error: 'commit_message is missing' }],
  ['DELETE', 'README.md', { branch: 'none' }, 400, { message: 'You can only create or edit files when you are on a branch' }],
  ['DELETE', 'README.md', { branch: 'main' }, 400, { message: 'You are not allowed to push into this branch' }],
])('%s of %j with %j is refused, and nothing changes', async (method, path, rest, status, body) => {
  const before = await stateOf(project)
  const answer = await forge.as(dev).request(method, address(path), change(rest))
  expect([answer.status, answer.body]).toEqual([status, body])
  expect(await stateOf(project)).toEqual(before)
})

test('guests and reporters get 403, strangers 404', async () => {
  const [guest, reporter, stranger] = await Promise.all([forge.user(), forge.user(), forge.user()])
  const own = await forge.project({ guest, reporter })
  const before = await stateOf(own)
  for (const method of ['POST', 'PUT', 'DELETE']) {
    for (const user of [guest, reporter]) {
      const { status, body } = await forge.as(user).request(method, address('x', own), change({ content }))
      expect([method, status, body]).toEqual([method, 403, { message: '403 Forbidden' }])
    }
    expect((await forge.as(stranger).request(method, address('x', own), change({ content }))).status).toBe(404)
  }
  expect(await stateOf(own)).toEqual(before)
})

test('a file of many megabytes arrives byte for byte', {
  ...inFullRun('1 s of processor. Files of any name and content are created above; `large-upload.test.ts` sends large ones.'),
  timeout: 60_000,
}, async () => {
  const bytes = Buffer.alloc(10 * 1024 * 1024, 'abcdefghijklmnopqrstuvwxyz\n')
  const { status } = await forge.as(dev).post(address('large'), change({ content: bytes.toString('base64'), encoding: 'base64' }))
  expect(status).toBe(201)
  const raw = await forge.as(dev).get(`${address('large')}/raw?ref=work`)
  expect([raw.bytes.length, raw.bytes.equals(bytes)]).toEqual([bytes.length, true])
})
