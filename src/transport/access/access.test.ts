/** Terms of service over git: they bind users, on every protocol. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicKey } from '../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { principalOfKey } from '../../access/principals.ts'
import { readPublicKey } from '../../access/ssh-keys.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'
import { findKeyHolder } from '../../features/people/keys/keys.service.ts'
import { admit, admitForLfs } from './access.ts'

const refusal = { code: 'forbidden', message: 'You must accept the terms of service first, at http://gitstead.test/-/terms' }

let forge: Forge
let user: TestUser
let project: TestProject
let own: string
let machine: string

beforeAll(async () => {
  forge = await testForge()
  user = await forge.user()
  project = await forge.project({ owner: user })
  own = publicKey()
  machine = publicKey()
  await forge.as(user).post('/user/keys', { title: 'Laptop', key: own })
  await forge.as(user).post(`/projects/${project.id}/deploy_keys`, { title: 'Machine', key: machine, can_push: true })
  await writeSettings(forge.app.db, { enforce_terms: true, terms: 'Be kind' })
})

afterAll(() => forge.app.db.deleteFrom('settings').execute())

async function actor(key: string) {
  const blob = Buffer.from(key.split(' ')[1] as string, 'base64')
  const holder = await findKeyHolder(forge.app, readPublicKey(blob) as NonNullable<ReturnType<typeof readPublicKey>>)
  if (!holder) throw new Error('nobody has this key')
  return principalOfKey(holder)
}

test('over SSH a user neither fetches, pushes nor gets large files before accepting the terms', async () => {
  const ways = [
    async () => admit(forge.app, await actor(own), project.full_path, 'read', 'ssh'),
    async () => admit(forge.app, await actor(own), project.full_path, 'push', 'ssh'),
    async () => admitForLfs(forge.app, await actor(own), project.full_path, 'read'),
  ]
  for (const way of ways) await expect(way()).rejects.toMatchObject(refusal)
  expect((await forge.as(user).post('/user/terms')).status).toBe(201)
  for (const way of ways) expect((await way()).project?.id).toBe(project.id)
})

test('a key of a project is nobody who could accept anything', async () => {
  await forge.app.db.updateTable('users').set({ accepted_terms: null }).where('id', '=', user.id).execute()
  for (const purpose of ['read', 'write'] as const)
    expect((await admit(forge.app, await actor(machine), project.full_path, purpose, 'ssh')).project?.id).toBe(project.id)
})
