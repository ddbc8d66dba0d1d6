/** Generic packages: files of any kind, by name and version. */
import type { Readable } from 'node:stream'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Package, PackageFile, User } from '../../../db/tables.ts'
import { Failure, missing, tooLarge } from '../../../failure.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { abandon, abandonAll, refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import { assertRoomIn } from '../../storage/quotas/quotas.ts'
import { deleteFile, deletePackage, ensurePackage, insertFile } from './packages.queries.ts'

/** Larger files are rejected. */
export const maxPackageFile_bytes = 5 * 1024 ** 3

export interface NewFile {
  name: string
  version: string
  file_name: string
  status: 'default' | 'hidden'
}

/** Stores a file of a package, which is created if necessary. An earlier file with this name is kept, but no longer served. */
export async function storePackageFile(
  app: App,
  to: { project_id: number; user: User },
  { name, version, file_name, status }: NewFile,
  content: Readable,
): Promise<{ row: Package; file: PackageFile }> {
  const temporary = await app.store.openDraft()
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (temporary.size + chunk.length > maxPackageFile_bytes) throw tooLarge()
      await temporary.append(chunk)
    }
    const sum = temporary.sum()
    await assertRoomIn(app, to.project_id, sum.size)
    const store_key = await storeDraft(app, 'packages', temporary)
    return await inTransaction(app.db, async (tx) => {
      await loadLockedProject(tx, to.project_id)
      if (!(await refer(tx, store_key))) throw new Failure('timed_out', 'It took too long to store the file.')
      const row = await ensurePackage(tx, { project_id: to.project_id, creator_id: to.user.id, name, version, status })
      return { row, file: await insertFile(tx, { package_id: row.id, file_name, size: sum.size, sha256: sum.sha256, store_key }) }
    })
  } finally {
    await temporary.close()
  }
}

export function removePackage(app: App, { id }: Package): Promise<void> {
  return inTransaction(app.db, async (tx) => abandonAll(tx, await deletePackage(tx, id)))
}

/** Throws 404 if the package has no such file. */
export function removePackageFile(app: App, { id }: Package, file_id: number): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const key = await deleteFile(tx, id, file_id)
    if (key === null) throw missing()
    await abandon(tx, key)
  })
}
