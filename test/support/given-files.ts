/** Files that fixtures have: avatars, and the archive of a project. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { acceptAvatar, changeAvatar } from '../../src/features/storage/avatars/avatars.service.ts'
import { refer, storeObject } from '../../src/features/storage/object-storage/object-storage.service.ts'
import { Upload } from '../../src/http/upload.ts'
import type { Forge } from './forge.ts'
import { onePixel } from './images.ts'

/** An image to each of them, as `avatar.png`. */
export async function giveAvatars({ app }: Forge, ids: Record<'users' | 'namespaces' | 'projects', number>): Promise<void> {
  for (const table of ['users', 'namespaces', 'projects'] as const) {
    const avatar = await acceptAvatar(app, new Upload('avatar.png', 'image/png', onePixel))
    await app.db
      .updateTable(table)
      .set({ ...avatar })
      .where('id', '=', ids[table])
      .execute()
    await changeAvatar(app.db, null, avatar)
  }
}

/** An archive to be had, and nothing of a project in it. */
export async function giveExport({ app }: Forge, project_id: number): Promise<void> {
  const bytes = Buffer.from('an archive')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const store_key = await storeObject(app, 'exports', Readable.from([bytes]), { size: bytes.length, sha256 })
  await refer(app.db, store_key)
  const finished = { state: 'finished' as const, store_key, size: bytes.length, updated_at: new Date().toISOString() }
  await app.db
    .insertInto('project_exports')
    .values({ project_id, ...finished })
    .execute()
}
