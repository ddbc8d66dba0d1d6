/** Pull mirrors over SSH: a key of each, a host whose key is pinned. */
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
  const at = `/projects/${target.id}/mirror/pull`
  const as = forge.as(user)
  expect((await as.put(at, { url: host.remote(source), auth_method: 'ssh_public_key', enabled: false, ...settings })).status).toBe(200)
  const { public_key } = (await as.get(`${at}/public_key`)).body
  const update = async () => {
    expect((await as.put(at, { enabled: true })).status).toBe(200)
    await forge.drain()
    return (await as.get(at)).body
  }
  return { forge, as, source, target, at, public_key, update }
}

const refs = ({ dir }: { dir: string }) => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags')

test('with the key allowed at the other server its branches and tags come; before, the reason is told', async () => {
  const { as, source, target, at, public_key, update } = await mirrorOverSsh()
  await git(source.dir, 'tag', '-m', 'First', 'v1', 'main')
  expect(public_key).toMatch(/^ssh-ed25519 AAAA/)
  expect(await update()).toMatchObject({ update_status: 'to_retry', last_error: 'The host rejects the key or the password', host_keys: [] })

  expect((await as.post('/user/keys', { title: 'mirror', key: public_key })).status).toBe(201)
  expect(await update()).toMatchObject({
    update_status: 'finished',
    last_error: null,
    auth_method: 'ssh_public_key',
    host_keys: [{ fingerprint_sha256: expect.stringMatching(/^SHA256:/) }],
  })
  expect(await refs(target)).toBe(await refs(source))
  expect((await as.get(`${at}/public_key`)).body).toEqual({ public_key })
})

test('from a host with another key than the pinned one nothing comes', async () => {
  const { as, target, public_key, update } = await mirrorOverSsh({ host_keys: [`git.example.com ${publicKey()}`] })
  await as.post('/user/keys', { title: 'mirror', key: public_key })
  expect(await update()).toMatchObject({
    update_status: 'to_retry',
    last_error: 'The host has another key than the one that is pinned',
  })
  expect(await refs(target)).toBe('')
})

test('its private key is sealed; a key needs SSH, and a mirror without one has none to show', async () => {
  const { forge, as, at } = await mirrorOverSsh()
  expect((await as.put(at, { host_keys: ['nonsense'] })).status).toBe(400)
  expect((await as.put(at, { url: 'https://example.com/x' })).body.message).toEqual({
    auth_method: ['ssh_public_key needs an ssh:// URL'],
  })
  const rows = await forge.app.db.selectFrom('pull_mirrors').select(['private_key', 'url']).execute()
  expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY')
  const user = await forge.user()
  const plain = `/projects/${(await forge.project({ maintainer: user })).id}/mirror/pull`
  expect((await forge.as(user).get(`${plain}/public_key`)).status).toBe(400)
  await forge.as(user).put(plain, { url: 'https://93.184.216.34/x.git', enabled: false })
  expect((await forge.as(user).get(`${plain}/public_key`)).status).toBe(404)
})
