/** The rules of secure files: sealed when they come, opened for whoever may download them. */
import { createHash } from 'node:crypto'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { SecureFile } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, invalid, missing } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { abandon, openSealed, refer, storeSealed } from '../../storage/object-storage/object-storage.ts'
import { assertRoomIn } from '../../storage/quotas/quotas.ts'
import { countSecureFiles, deleteSecureFile, insertSecureFile } from './secure-files.queries.ts'

/** A larger file is refused, as by the reference. */
export const maxSecureFile_bytes = 5 * 1024 * 1024
const maxFiles = 100

/** Names what was sealed for the files of a project: those of another one are not opened by it. */
const purposeOf = (project_id: number) => `secure_files.store_key of project ${project_id}`

/** Throws 400 for a name that is taken, for what can't be one, for an empty file and where the project has as many as it may have. */
export async function addSecureFile(app: App, project_id: number, { name, bytes }: { name: string; bytes: Buffer }): Promise<SecureFile> {
  assertValid({ name: nameError(name), file: bytes.length === 0 ? "can't be empty" : sizeError(bytes) })
  await assertRoomIn(app, project_id, bytes.length)
  const object = await storeSealed(app, 'secure', bytes, purposeOf(project_id))
  const checksum = createHash('sha256').update(bytes).digest('hex')
  try {
    return await inTransaction(app.db, async (tx) => {
      await loadLockedProject(tx, project_id)
      if ((await countSecureFiles(tx, project_id)) >= maxFiles)
        throw invalid({ base: [`Maximum number of secure files (${maxFiles}) exceeded`] })
      if (!(await refer(tx, object.store_key))) throw new Failure('timed_out', 'It took too long to store the file.')
      const file = await insertSecureFile(tx, { project_id, name, checksum, ...object, created_at: now() })
      await publish(tx, { type: 'secure_file_added', project_id, file_id: file.id, name })
      return file
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid({ name: ['has already been taken'] }, error) : error
  }
}

export function readSecureFile(app: App, { project_id, store_key }: SecureFile): Promise<Buffer> {
  return openSealed(app, store_key, purposeOf(project_id))
}

/** Throws 404 where it has been removed meanwhile. */
export async function removeSecureFile(app: App, { id, project_id, name, store_key }: SecureFile): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if (!(await deleteSecureFile(tx, id))) throw missing()
    await abandon(tx, store_key)
    await publish(tx, { type: 'secure_file_removed', project_id, file_id: id, name })
  })
}

/** Jobs write it to a folder of theirs: it must not lead out of there. */
function nameError(name: string): string | null {
  const problem = blankError(name) ?? lengthError(name, 255)
  if (problem !== null) return problem
  return /[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..' ? 'is invalid' : null
}

function sizeError(bytes: Buffer): string | null {
  return bytes.length > maxSecureFile_bytes ? 'is too large (maximum is 5 MiB)' : null
}
