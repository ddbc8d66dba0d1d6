/** The settings of a repository in a browser: default branch, deploy keys, deploy tokens, housekeeping. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { deployKeySentences, deployTokenSentences, housekeepingSentences, settingSentences } from './sentences.ts'

let forge: Forge
let maintainer: TestUser
let me: Browser
let project: TestProject
const at = (rest: string) => `/${project.full_path}/${rest}`

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user({ password })
  me = await signedIn(forge, maintainer)
  project = await forge.project({ maintainer, visibility: 'private' })
  await git(project.dir, 'branch', 'next', 'main')
})

let keys = 0
/** A key that no other test has. */
function freshKey(): string {
  keys += 1
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(Buffer.alloc(32, keys))])
  return `ssh-ed25519 ${blob.toString('base64')} machine`
}

test('the page has a section with an anchor for each kind of setting, also of an empty repository', async () => {
  const empty = await forge.project({ maintainer, files: null })
  for (const path of [project.full_path, empty.full_path]) {
    const { status, text } = await me.get(`/${path}/settings/repository`)
    expect([status, readDocument(text).faults]).toEqual([200, []])
    for (const id of ['default-branch', 'protected-branches', 'protected-tags', 'deploy-keys', 'deploy-tokens', 'mirrors', 'housekeeping'])
      expect([id, text.includes(`<h2 id="${id}">`)]).toEqual([id, true])
  }
  expect((await me.get(`/${empty.full_path}/settings/repository`)).text).toContain(settingSentences.empty)
})

test('the default branch changes to one that exists; another is refused at its field', async () => {
  const save = (default_branch: string) => me.submit(at('settings/repository'), at('settings/default_branch'), { default_branch })
  expect(await noticeAt(me, (await save('next')).location)).toBe(settingSentences.defaultSaved('next'))
  expect((await forge.as(maintainer).get(`/projects/${project.id}`)).body.default_branch).toBe('next')
  const refused = await save('<nothing>')
  expect([refused.status, readDocument(refused.text).faults]).toEqual([422, []])
  expect(refused.text).toContain('id="default_branch-error">Could not change HEAD: branch &#39;&lt;nothing&gt;&#39; does not exist</p>')
  expect(refused.text).toContain('value="&lt;nothing&gt;"')
  await save('main')
})

test('a deploy key is added, changed and removed; a wrong one is refused at its field', async () => {
  const key = freshKey()
  const add = (fields: Record<string, string>) =>
    me.submit(at('settings/repository'), at('deploy_keys'), { title: 'Machine <b>', key, can_push: 'true', ...fields })
  const added = await add({})
  expect([added.location, await noticeAt(me, added.location)]).toEqual([
    at('settings/repository#deploy-keys'),
    deployKeySentences.added('Machine <b>'),
  ])
  const [row] = (await forge.as(maintainer).get(`/projects/${project.id}/deploy_keys`)).body
  expect(row).toMatchObject({ title: 'Machine <b>', can_push: true })
  const wrong = await add({ key: 'no key', title: '' })
  expect([wrong.status, readDocument(wrong.text).faults]).toEqual([422, []])
  expect(wrong.text).toContain('id="key-key-error"')
  expect(wrong.text).toContain('id="key-title-error">Title can&#39;t be blank</p>')
  expect(wrong.text).toContain('>\nno key</textarea>')
  const change = { id: String(row.id), title: 'Renamed', can_push: 'false' }
  expect(await noticeAt(me, (await me.submit(at('deploy_keys'), at('deploy_keys/change'), change)).location)).toBe(
    deployKeySentences.saved('Renamed'),
  )
  expect((await me.submit(at('deploy_keys'), at('deploy_keys/change'), { ...change, title: '' })).text).toContain(
    `id="key-${row.id}-title-error"`,
  )
  expect(await noticeAt(me, (await me.submit(at('deploy_keys'), at('deploy_keys/remove'))).location)).toBe(
    deployKeySentences.removed('Renamed'),
  )
  const token = /name="form_token" value="([^"]+)"/.exec((await me.get(at('deploy_keys'))).text)?.[1] as string
  const gone = await me.post(at('deploy_keys/remove'), { form_token: token, id: String(row.id) })
  expect(await noticeAt(me, gone.location)).toBe(deployKeySentences.gone)
})

test('keys of projects one is a member of can be enabled, public ones by everybody, and others are not shown', async () => {
  const mine = await forge.project({ maintainer, visibility: 'private' })
  const foreign = await forge.project({ visibility: 'private' })
  const add = async (user: TestUser, { id }: TestProject, title: string) =>
    (await forge.as(user).post(`/projects/${id}/deploy_keys`, { title, key: freshKey() })).body.id
  const elsewhere = await add(maintainer, mine, 'Of mine')
  const hidden = await add(forge.root, foreign, 'Of a stranger')
  const open = await add(forge.root, foreign, 'Public one')
  await forge.app.db.updateTable('ssh_keys').set({ public: true }).where('id', '=', open).execute()
  const { text } = await me.get(at('deploy_keys'))
  expect(['Of mine', 'Of a stranger', 'Public one'].map((title) => text.includes(title))).toEqual([true, false, true])
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  const enable = async (id: number) =>
    noticeAt(me, (await me.post(at('deploy_keys/enable'), { form_token: token, id: String(id) })).location)
  expect(await enable(elsewhere)).toBe(deployKeySentences.enabled('Of mine'))
  expect(await enable(open)).toBe(deployKeySentences.enabled('Public one'))
  expect(await enable(hidden)).toBe(deployKeySentences.gone)
  const enabled = (await forge.as(maintainer).get(`/projects/${project.id}/deploy_keys`)).body
  expect(enabled.map(({ title, can_push }: { title: string; can_push: boolean }) => [title, can_push])).toEqual([
    ['Of mine', false],
    ['Public one', false],
  ])
  const after = (await me.get(at('deploy_keys'))).text
  expect(after).not.toContain('deploy_keys/enable')
  // Only administrators change a key that other projects rely on.
  const change = { form_token: token, id: String(open), title: 'Mine now', can_push: 'true' }
  expect((await me.post(at('deploy_keys/change'), change)).status).toBe(403)
})

test('a deploy token is shown once, reads the repository, and is revoked', async () => {
  const create = (fields: Record<string, string>) =>
    me.submit(at('settings/repository'), at('deploy_tokens'), {
      name: 'Robot',
      username: '',
      expires_at: '',
      read_repository: 'true',
      read_registry: 'false',
      ...fields,
    })
  const { status, text, headers } = await create({})
  expect([status, readDocument(text).faults, headers['cache-control']]).toEqual([201, [], 'no-store'])
  const [secret = ''] = /gstdt-[\w-]+/.exec(text) ?? []
  const [login = ''] = /gitstead\+deploy-token-\d+/.exec(text) ?? []
  const reading = await browserOf(forge.server).get(`/${project.full_path}.git/info/refs?service=git-upload-pack`, {
    authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`,
  })
  expect([secret.length > 20, reading.status]).toEqual([true, 200])
  const list = (await me.get(at('deploy_tokens'))).text
  expect([list.includes(login), list.includes(secret)]).toEqual([true, false])
  const wrong = await create({ name: '', username: 'a b', read_repository: 'false' })
  expect([wrong.status, readDocument(wrong.text).faults]).toEqual([422, []])
  expect(wrong.text).toContain('id="token-name-error"')
  expect(wrong.text).toContain('value="a b"')
  const date = await create({ expires_at: 'tomorrow' })
  expect([date.status, date.text.includes('value="tomorrow"')]).toEqual([422, true])
  expect(await noticeAt(me, (await me.submit(at('deploy_tokens'), at('deploy_tokens/revoke'))).location)).toBe(
    deployTokenSentences.revoked('Robot'),
  )
  expect((await me.get(at('deploy_tokens'))).text).toContain(deployTokenSentences.none)
})

test('housekeeping is started once, and the page says that it runs', async () => {
  const run = () => me.submit(at('settings/repository'), at('settings/housekeeping'))
  expect(await noticeAt(me, (await run()).location)).toBe(housekeepingSentences.started)
  const { text } = await me.get(at('settings/repository'))
  expect([text.includes(housekeepingSentences.running), text.includes('settings/housekeeping"')]).toEqual([true, false])
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] as string
  const again = await me.post(at('settings/housekeeping'), { form_token: token })
  expect(await noticeAt(me, again.location)).toBe(housekeepingSentences.busy)
  await forge.drain()
  expect((await me.get(at('settings/repository'))).text).toContain('settings/housekeeping"')
})
