/** Push mirrors over SSH: a key of each, a host whose key is pinned. */
import { expect, test } from 'vitest'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { sshHost } from '../../../../test/support/ssh.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

async function mirrorOverSsh(settings: Record<string, unknown> = {}) {
  const forge = await testForge()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  const host = await sshHost()
  const user = await forge.user()
  const source = await forge.project({ maintainer: user })
  const target = await forge.project({ maintainer: user, files: null })
  const at = `/projects/${source.id}/remote_mirrors`
  const { body } = await forge.as(user).post(at, { url: host.remote(target), auth_method: 'ssh_public_key', ...settings })
  const { public_key } = (await forge.as(user).get(`${at}/${body.id}/public_key`)).body
  const one = `${at}/${body.id}`
  const update = async (change: Record<string, unknown>) => {
    expect((await forge.as(user).put(one, change)).status).toBe(200)
    await forge.drain()
    return (await forge.as(user).get(one)).body
  }
  return { forge, user, source, target, one, public_key, update }
}

const refs = ({ dir }: { dir: string }) => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags')

test('with the key allowed at the other server its branches and tags follow; before, the reason is told', async () => {
  const { forge, user, source, target, public_key, update, one } = await mirrorOverSsh()
  await git(source.dir, 'tag', '-m', 'First', 'v1', 'main')
  expect(public_key).toMatch(/^ssh-ed25519 AAAA/)
  const refused = await update({ enabled: true })
  expect(refused).toMatchObject({ update_status: 'to_retry', last_error: 'The host rejects the key or the password' })
  expect(refused.host_keys).toEqual([])

  expect((await forge.as(user).post('/user/keys', { title: 'mirror', key: public_key })).status).toBe(201)
  expect((await forge.as(user).post(`${one}/sync`)).status).toBe(204)
  await forge.drain()

  expect((await forge.as(user).get(one)).body).toMatchObject({
    update_status: 'finished',
    last_error: null,
    auth_method: 'ssh_public_key',
    host_keys: [{ fingerprint_sha256: expect.stringMatching(/^SHA256:/) }],
  })
  expect(await refs(target)).toBe(await refs(source))
})

test('a host with another key than the pinned one gets nothing', async () => {
  const { forge, user, target, public_key, update } = await mirrorOverSsh({ host_keys: [`git.example.com ${publicKey()}`] })
  await forge.as(user).post('/user/keys', { title: 'mirror', key: public_key })
  const state = await update({ enabled: true })
  expect(state).toMatchObject({ update_status: 'to_retry', last_error: 'The host has another key than the one that is pinned' })
  expect(await refs(target)).toBe('')
})

test('private keys are sealed and each mirror has its own', async () => {
  const { forge, user, source, one, public_key } = await mirrorOverSsh()
  const second = await forge
    .as(user)
    .post(`/projects/${source.id}/remote_mirrors`, { url: 'ssh://git@127.0.0.1:2222/x', auth_method: 'ssh_public_key' })
  const other = await forge.as(user).get(`/projects/${source.id}/remote_mirrors/${second.body.id}/public_key`)
  expect(other.body.public_key).not.toBe(public_key)
  expect((await forge.as(user).put(one, { host_keys: ['nonsense'] })).status).toBe(400)
  expect((await forge.as(user).put(one, { url: 'https://example.com/x', auth_method: 'ssh_public_key' })).status).toBe(400)
  const rows = await forge.app.db.selectFrom('push_mirrors').select('private_key').execute()
  expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY')
})
