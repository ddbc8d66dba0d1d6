/** Mirrors in a browser: set up, updated, changed and removed by maintainers, with their status and without their secrets. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { writeSettings } from '../../../features/instance/settings/settings.service.ts'
import { mirrorSentences as say } from './sentences.ts'

let forge: Forge
let maintainer: TestUser
let me: Browser
let project: TestProject
let other: TestProject
let address: string
const at = (rest: string) => `/${project.full_path}/${rest}`
const main = ({ dir }: TestProject) => git(dir, 'rev-parse', 'main')
const api = async (rest: string) => (await forge.as(maintainer).get(`/projects/${project.id}/${rest}`)).body
const connection = { auth_user: '', auth_password: '', auth_method: 'password', host_keys: '', mirror_branch_regex: '' }

beforeAll(async () => {
  forge = await testForge()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  maintainer = await forge.user({ password })
  me = await signedIn(forge, maintainer)
  project = await forge.project({ maintainer })
  other = await forge.project({ maintainer, files: null })
  address = await forge.remote(other)
})

test('a mirror to another repository is added, updated, changed and removed; its password is never shown', async () => {
  const secret = maintainer.token
  const add = (fields: Record<string, string>) =>
    me.submit(at('settings/repository'), at('mirrors'), { ...connection, url: address, enabled: 'true', ...fields })
  const added = await add({ auth_user: maintainer.username, auth_password: secret })
  expect([added.location, await noticeAt(me, added.location)]).toEqual([at('settings/repository#mirrors'), say.added])
  await forge.drain()
  expect(await main(other)).toBe(await main(project))
  const [mirror] = await api('remote_mirrors')
  expect(mirror).toMatchObject({ enabled: true, update_status: 'finished', last_error: null, url: expect.stringContaining('*****') })
  const { status, text } = await me.get(at('mirrors'))
  expect([status, readDocument(text).faults, text.includes(secret), text.includes('up to date')]).toEqual([200, [], false, true])

  const id = String(mirror.id)
  const change = { id, ...connection, enabled: 'true', mirror_branch_regex: '^release' }
  expect(await noticeAt(me, (await me.submit(at('mirrors'), at('mirrors/change'), { url: '', ...change })).location)).toBe(say.saved)
  expect((await api('remote_mirrors'))[0]).toMatchObject({ mirror_branch_regex: '^release', url: mirror.url })
  const refused = await me.submit(at('mirrors'), at('mirrors/change'), { ...change, url: 'ftp://x', auth_password: 'hush' })
  expect([refused.status, readDocument(refused.text).faults, refused.text.includes('hush')]).toEqual([422, [], false])
  expect(refused.text).toContain(`id="mirror-${id}-url-error"`)

  expect(await noticeAt(me, (await me.submit(at('mirrors'), at('mirrors/update'), { id })).location)).toBe(say.asked)
  expect(await noticeAt(me, (await me.submit(at('mirrors'), at('mirrors/remove'), { id })).location)).toBe(say.removed)
  expect(await api('remote_mirrors')).toEqual([])
  expect((await add({ url: 'ssh://git@127.0.0.1:2222/x', auth_method: 'ssh_public_key', enabled: 'false' })).status).toBe(303)
  expect((await me.get(at('mirrors'))).text).toContain('ssh-ed25519 AAAA')
})

test('a project follows a repository elsewhere; what went wrong is told', async () => {
  const source = await forge.project({ maintainer })
  const target = await forge.project({ maintainer, files: null })
  const mirrors = `/${target.full_path}/mirrors`
  const follow = (fields: Record<string, string>) => me.submit(mirrors, `${mirrors}/pull`, { ...connection, enabled: 'true', ...fields })
  const wrong = await follow({ url: address.replace(other.full_path, 'nobody/nothing') })
  expect(await noticeAt(me, wrong.location)).toBe(say.saved)
  await forge.drain()
  const failed = (await me.get(mirrors)).text
  expect([readDocument(failed).faults, failed.includes('failed, tried again')]).toEqual([[], true])

  await follow({ url: await forge.remote(source), auth_user: maintainer.username, auth_password: maintainer.token })
  await git(source.dir, 'branch', 'followed', 'main')
  expect(await noticeAt(me, (await me.submit(mirrors, `${mirrors}/pull/update`, {})).location)).toBe(say.asked)
  await forge.drain()
  expect(await git(target.dir, 'rev-parse', 'followed')).toBe(await git(source.dir, 'rev-parse', 'main'))
  const { text } = await me.get(mirrors)
  expect([text.includes('up to date'), text.includes(maintainer.token)]).toEqual([true, false])
})

test('developers neither see mirrors nor set them up', async () => {
  const developer = await forge.user({ password })
  await forge.as(maintainer).post(`/projects/${project.id}/members`, { user_id: developer.id, access_level: 30 })
  const them = await signedIn(forge, developer)
  expect((await them.get(at('mirrors'))).status).toBe(403)
})
