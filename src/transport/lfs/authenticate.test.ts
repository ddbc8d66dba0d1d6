/** Tokens for who came by SSH: good for the large files of one project, and only as long as the key and its user count. */
import { expect, test } from 'vitest'
import { basicOf, lfsClient, uniqueFile } from '../../../test/support/fixtures/lfs.ts'
import { publicKey } from '../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { addKey, callerBy, enableKey } from '../../../test/support/ssh.ts'
import type { SshKey } from '../../db/tables.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'
import { authenticateLfs } from './authenticate.ts'

const zeros = '0'.repeat(64)

interface Opened {
  key: SshKey
  authorization: string
}

async function authenticate(forge: Forge, user: TestUser, project: TestProject, operation: 'download' | 'upload'): Promise<Opened> {
  const caller = await callerBy(await addKey(publicKey(), user))
  const told = await authenticateLfs(forge.app, caller, project.full_path, operation)
  expect(told).toEqual({
    href: `http://gitstead.test/${project.full_path}.git/info/lfs`,
    header: { Authorization: expect.stringMatching(/^Basic [\w+/=]+$/) },
    expires_in: 1800,
  })
  return { key: caller.key, authorization: told.header.Authorization as string }
}

/** Statuses of a download and of an upload with this header. */
async function doors(forge: Forge, project: { full_path: string }, authorization: string) {
  const client = lfsClient(forge, project, authorization)
  const ask = async (operation: string) => (await client.batch(operation, { oid: zeros, size: 0 })).status
  return [await ask('download'), await ask('upload')]
}

test('a token for uploads opens both ways, one for downloads only that', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const up = await authenticate(forge, developer, project, 'upload')
  const down = await authenticate(forge, developer, project, 'download')
  expect(await doors(forge, project, up.authorization)).toEqual([200, 200])
  expect(await doors(forge, project, down.authorization)).toEqual([200, 403])

  const { content, oid, size } = uniqueFile()
  const client = lfsClient(forge, project, up.authorization)
  const [object] = (await client.batch('upload', { oid, size })).body.objects
  expect(object.actions.upload.header).toEqual({ Authorization: up.authorization })
  expect(object.actions.upload.expires_in).toBeGreaterThan(1_700)
  expect(object.actions.upload.expires_in).toBeLessThanOrEqual(1_800)
  expect((await lfsClient(forge, project, down.authorization).put(content)).status).toBe(403)
  expect((await client.put(content)).status).toBe(200)
  expect((await lfsClient(forge, project, down.authorization).get(oid)).bytes.equals(content)).toBe(true)
  expect((await lfsClient(forge, project, down.authorization).send('POST', 'locks', { path: 'a' })).status).toBe(403)
  expect((await client.send('POST', 'locks', { path: 'a' })).body.lock.owner).toEqual({ name: developer.name })
})

test('a token opens no other project, no repository and no API, and is stored as a digest', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const other = await forge.project({ developer })
  const { authorization } = await authenticate(forge, developer, project, 'upload')
  expect(await doors(forge, other, authorization)).toEqual([403, 403])
  expect(await doors(forge, { full_path: 'no/such' }, authorization)).toEqual([404, 404])

  const secret = Buffer.from(authorization.slice(6), 'base64').toString().split(':')[1] as string
  const send = (path: string, headers: Record<string, string>) => forge.anonymous.get(path, { headers })
  expect((await send(`//${project.full_path}.git/info/refs?service=git-upload-pack`, { authorization })).status).toBe(401)
  for (const headers of [{ 'private-token': secret }, { authorization: `Bearer ${secret}` }]) {
    expect((await send('/user', headers as Record<string, string>)).status).toBe(401)
  }
  expect(JSON.stringify(await forge.app.db.selectFrom('lfs_tokens').selectAll().execute())).not.toContain(secret)
  expect(await doors(forge, project, basicOf('git-lfs', `${secret}x`))).toEqual([401, 401])
})

test('a token falls with its key, its time, and what its user may', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const { db } = forge.app
  const { key, authorization } = await authenticate(forge, developer, project, 'upload')
  const open = () => doors(forge, project, authorization)
  expect(await open()).toEqual([200, 200])

  await db
    .updateTable('members')
    .set({ access_level: 20 })
    .where('user_id', '=', developer.id)
    .where('project_id', '=', project.id)
    .execute()
  expect(await open()).toEqual([200, 403])
  await db.deleteFrom('members').where('user_id', '=', developer.id).where('project_id', '=', project.id).execute()
  expect(await open()).toEqual([404, 404])
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: developer.id, access_level: 30 })
  expect(await open()).toEqual([200, 200])

  await db.updateTable('users').set({ state: 'blocked' }).where('id', '=', developer.id).execute()
  expect(await open()).toEqual([401, 401])
  await db.updateTable('users').set({ state: 'active' }).where('id', '=', developer.id).execute()
  expect(await open()).toEqual([200, 200])

  await writeSettings(db, { ed25519_key_restriction: -1 })
  expect(await open()).toEqual([401, 401])
  await writeSettings(db, { ed25519_key_restriction: 0 })

  const tokens = () => db.selectFrom('lfs_tokens').selectAll().where('key_id', '=', key.id).execute()
  const expires_at = (await tokens())[0]?.expires_at
  await db.updateTable('lfs_tokens').set({ expires_at: new Date().toISOString() }).where('key_id', '=', key.id).execute()
  expect(await open()).toEqual([401, 401])
  await db
    .updateTable('lfs_tokens')
    .set({ expires_at: expires_at as string })
    .where('key_id', '=', key.id)
    .execute()
  expect(await open()).toEqual([200, 200])

  await db.deleteFrom('ssh_keys').where('id', '=', key.id).execute()
  expect(await open()).toEqual([401, 401])
  expect(await tokens()).toEqual([])
})

test('a caller without access gets no token, and no project is created', async () => {
  const forge = await testForge()
  const [reporter, stranger] = [await forge.user(), await forge.user()]
  const project = await forge.project({ reporter })
  const refusal = (user: TestUser, at: { full_path: string }, operation: 'download' | 'upload') =>
    authenticate(forge, user, at as TestProject, operation).then(
      () => null,
      (error: { code: string }) => error.code,
    )
  expect(await refusal(reporter, project, 'download')).toBeNull()
  expect(await refusal(reporter, project, 'upload')).toBe('forbidden')
  expect(await refusal(stranger, project, 'download')).toBe('not_found')
  expect(await refusal(stranger, { full_path: `${stranger.username}/fresh` }, 'upload')).toBe('not_found')
  expect((await forge.as(stranger).get(`/projects/${stranger.username}%2Ffresh`)).status).toBe(404)
  await forge.as(forge.root).put(`/projects/${project.id}`, { lfs_enabled: false })
  expect(await refusal(reporter, project, 'download')).toBe('forbidden')
})

test('a disabled protocol is disabled for large files too; a token handed out over SSH works over HTTP', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const { authorization } = await authenticate(forge, developer, project, 'upload')
  const own = basicOf(developer.username, developer.token)
  const set = (enabled_git_access_protocol: 'ssh' | 'http' | null) => writeSettings(forge.app.db, { enabled_git_access_protocol })
  try {
    await set('ssh')
    expect(await doors(forge, project, own)).toEqual([403, 403])
    expect(await doors(forge, project, authorization)).toEqual([200, 200])
    await set('http')
    expect(await doors(forge, project, own)).toEqual([200, 200])
    await expect(authenticate(forge, developer, project, 'download')).rejects.toThrow('Git access over SSH is not allowed.')
  } finally {
    await set(null)
  }
})

test('a deploy key gets what it may: and what it locks is locked by who made it', async () => {
  const forge = await testForge()
  const maker = await forge.user()
  const project = await forge.project({ maintainer: maker })
  const caller = await callerBy(await addKey(publicKey(), null, maker))
  const { key } = caller
  await enableKey(key.id, project, false)
  const enter = async (operation: 'download' | 'upload') =>
    (await authenticateLfs(forge.app, caller, project.full_path, operation)).header.Authorization as string
  expect(await doors(forge, project, await enter('download'))).toEqual([200, 403])
  await expect(enter('upload')).rejects.toThrow('This deploy key does not have write access to this project.')

  await forge.app.db.updateTable('deploy_key_projects').set({ can_push: true }).where('key_id', '=', key.id).execute()
  const authorization = await enter('upload')
  expect(await doors(forge, project, authorization)).toEqual([200, 200])
  const locked = await lfsClient(forge, project, authorization).send('POST', 'locks', { path: 'a' })
  expect([locked.status, locked.body.lock.owner]).toEqual([201, { name: maker.name }])
  await forge.app.db.deleteFrom('deploy_key_projects').where('key_id', '=', key.id).execute()
  expect(await doors(forge, project, authorization)).toEqual([404, 404])
})
