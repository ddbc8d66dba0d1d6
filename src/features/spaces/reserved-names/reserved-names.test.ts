/** Names that earlier versions allowed, and that read as addresses of files. */
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { renameReservedJob } from './reserved-names.jobs.ts'

/** As under a version that allowed it. */
async function setPath({ app: { db } }: Forge, what: { namespace_id: number } | { project_id: number }, path: string): Promise<void> {
  const last = { path: path.slice(path.lastIndexOf('/') + 1) }
  if ('namespace_id' in what) await db.updateTable('namespaces').set(last).where('id', '=', what.namespace_id).execute()
  else await db.updateTable('projects').set(last).where('id', '=', what.project_id).execute()
  const route = db.updateTable('routes').set({ path, path_key: path.toLowerCase() })
  await ('namespace_id' in what
    ? route.where('namespace_id', '=', what.namespace_id)
    : route.where('project_id', '=', what.project_id)
  ).execute()
}

test('a group that was called as the keys of a user answers for nobody, and is renamed after the upgrade', async () => {
  const forge = await testForge()
  const victim = await forge.user()
  const [group, taken] = [await forge.group({ visibility: 'public' }), await forge.group({ visibility: 'public' })]
  const name = victim.username
  await setPath(forge, { namespace_id: taken.id }, `${name}-keys`)
  await setPath(forge, { namespace_id: group.id }, `${name}.Keys`)
  const inGroup = await forge.project({ group: taken, visibility: 'public' })
  await setPath(forge, { project_id: inGroup.id }, `${name}-keys/site.wiki`)

  await renameReservedJob.handle(forge.app, {})

  const as = forge.as(forge.root)
  expect((await as.get(`/groups/${group.id}`)).body).toMatchObject({ path: `${name}-Keys-2`, full_path: `${name}-Keys-2` })
  expect((await as.get(`/projects/${inGroup.id}`)).body.path_with_namespace).toBe(`${name}-keys/site-wiki`)
  const refs = await git(inGroup.dir, 'ls-remote', `${await forge.url()}/${name}-keys/site.wiki.git`)
  expect(refs).toContain('refs/heads/main')
})

test('a user who was called as the feed of another is renamed with the personal namespace', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const { app } = forge
  const old = `${user.username}.GPG`
  await app.db.updateTable('users').set({ username: old, username_key: old.toLowerCase() }).where('id', '=', user.id).execute()
  const own = await app.db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).executeTakeFirstOrThrow()
  await setPath(forge, { namespace_id: own.id }, old)

  await renameReservedJob.handle(app, {})
  await renameReservedJob.handle(app, {})

  const { body } = await forge.as(forge.root).get(`/users/${user.id}`)
  expect(body.username).toBe(`${user.username}-GPG`)
  expect((await forge.as(forge.root).get(`/namespaces/${own.id}`)).body.path).toBe(`${user.username}-GPG`)
})

test('the address of a file is that of the file, also while somebody has a name that reads so', async () => {
  const forge = await testForge()
  const victim = await forge.user()
  const group = await forge.group({ visibility: 'public' })
  const visitor = browserOf(forge.server)
  const before = await visitor.get(`/${victim.username}.keys`)
  await setPath(forge, { namespace_id: group.id }, `${victim.username}.keys`)

  const during = await visitor.get(`/${victim.username}.keys`)

  expect([before.status, during.status, during.text]).toEqual([200, 200, before.text])
})
