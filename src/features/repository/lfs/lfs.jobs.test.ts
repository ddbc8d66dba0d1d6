/** Background work removes large files that no project refers to any more, and expired tokens. */
import { expect, test } from 'vitest'
import { lfsClient, uniqueFile } from '../../../../test/support/fixtures/lfs.ts'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { removeObjectsJob } from '../../storage/object-storage/object-storage.jobs.ts'
import { removeOrphansJob, removeTokensJob } from './lfs.jobs.ts'
import { insertLink, keepObject, objectsAfter } from './lfs.queries.ts'

const dayAgo = () => new Date(Date.now() - 24 * 3_600_000 - 1_000).toISOString()

async function rowOf({ app }: Forge, oid: string) {
  return app.db.selectFrom('lfs_objects').selectAll().where('oid', '=', oid).executeTakeFirst()
}

/** An uploaded file whose project is gone, and that was noted as an orphan at this instant. */
async function orphan(forge: Forge, orphaned_at: string | null) {
  const file = uniqueFile()
  const project = await forge.project()
  expect((await lfsClient(forge, project, forge.root).put(file.content)).status).toBe(200)
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  await forge.app.db.updateTable('lfs_objects').set({ orphaned_at }).where('oid', '=', file.oid).execute()
  return file
}

test('a file without projects is removed after a day, with its bytes', async () => {
  const forge = await testForge()
  const { app } = forge
  const { oid } = await orphan(forge, null)
  await removeOrphansJob.handle(app, {})
  expect((await rowOf(forge, oid))?.orphaned_at).not.toBeNull()
  await removeOrphansJob.handle(app, {})
  const { store_key } = (await rowOf(forge, oid)) as { store_key: string }

  await app.db.updateTable('lfs_objects').set({ orphaned_at: dayAgo() }).where('oid', '=', oid).execute()
  await removeOrphansJob.handle(app, {})
  expect(await rowOf(forge, oid)).toBeUndefined()
  await removeObjectsJob.handle(app, {})
  await expect(app.store.open(store_key)).rejects.toThrow()
})

test('a file that any project still has stays', async () => {
  const forge = await testForge()
  const { content, oid } = uniqueFile()
  const [first, second] = [await forge.project(), await forge.project()]
  for (const project of [first, second]) await lfsClient(forge, project, forge.root).put(content)
  await forge.as(forge.root).delete(`/projects/${first.id}`)
  await forge.app.db.updateTable('lfs_objects').set({ orphaned_at: dayAgo() }).where('oid', '=', oid).execute()
  await removeOrphansJob.handle(forge.app, {})
  expect((await rowOf(forge, oid))?.orphaned_at).toBeNull()
  expect((await lfsClient(forge, second, forge.root).get(oid)).bytes.equals(content)).toBe(true)
})

test('a file uploaded again within that day stays', async () => {
  const forge = await testForge()
  const { content, oid } = await orphan(forge, dayAgo())
  const project = await forge.project()
  expect((await lfsClient(forge, project, forge.root).put(content)).status).toBe(200)
  expect((await rowOf(forge, oid))?.orphaned_at).toBeNull()
  await removeOrphansJob.handle(forge.app, {})
  expect((await lfsClient(forge, project, forge.root).get(oid)).bytes.equals(content)).toBe(true)
})

test(
  'a file uploaded while it is being removed is kept, with its bytes',
  inFullRun('1 s of processor. `object-storage.test.ts`: an object that may be removed can no longer be referred to.'),
  async () => {
    const forge = await testForge()
    const { app } = forge
    for (let round = 0; round < 15; round += 1) {
      const { content, oid } = await orphan(forge, dayAgo())
      const project = await forge.project({ files: null })
      const client = lfsClient(forge, project, forge.root)
      const [uploaded] = await Promise.all([client.put(content), removeOrphansJob.handle(app, {}), removeOrphansJob.handle(app, {})])
      await removeObjectsJob.handle(app, {})
      expect([round, uploaded.status]).toEqual([round, 200])
      expect((await client.get(oid)).bytes.equals(content)).toBe(true)
    }
  },
)

test('a removal waits for the transaction that links the file, and then leaves it', async () => {
  const forge = await testForge()
  const { app } = forge
  const { oid, size } = await orphan(forge, dayAgo())
  const project = await forge.project({ files: null })
  let removing: Promise<unknown> = Promise.resolve()
  await inTransaction(app.db, async (tx) => {
    await keepObject(tx, { oid, size, store_key: 'unused' })
    removing = removeOrphansJob.handle(app, {})
    // Both are under way now: on PostgreSQL the job waits for this row, on SQLite for the queue of writes.
    await insertLink(tx, project.id, { oid, size })
  })
  await removing
  expect((await rowOf(forge, oid))?.oid).toBe(oid)
  expect((await objectsAfter(app.db, '', 1_000)).find((object) => object.oid === oid)).toMatchObject({ linked: true })
})

test('expired tokens are removed, others stay', async () => {
  const forge = await testForge()
  const { db } = forge.app
  const project = await forge.project()
  const { id: key_id } = await db
    .insertInto('ssh_keys')
    .values({
      kind: 'user',
      user_id: forge.root.id,
      creator_id: null,
      title: 'key',
      type: 'ssh-ed25519',
      blob: '',
      comment: '',
      bits: 256,
      fingerprint_sha256: 'none',
      fingerprint_md5: 'none',
      public: false,
      created_at: new Date().toISOString(),
      last_used_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const bound = { project_id: project.id, key_id, operation: 'download' as const }
  const at = (from_now_ms: number) => new Date(Date.now() + from_now_ms).toISOString()
  await db
    .insertInto('lfs_tokens')
    .values([
      { ...bound, digest: 'gone', expires_at: at(-1) },
      { ...bound, digest: 'there', expires_at: at(60_000) },
    ])
    .execute()
  await removeTokensJob.handle(forge.app, {})
  expect(await db.selectFrom('lfs_tokens').select('digest').execute()).toEqual([{ digest: 'there' }])
})
