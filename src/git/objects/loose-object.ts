/** Writes commits as loose objects without a git process, which would cost more than everything else for one small object. */
import { createHash, randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { createFolders } from '../../durable.ts'
import { isStorageFull, storageFull } from '../../failure.ts'

/**
 * Writes a raw commit to a quarantine, flushed, and returns its id. Only for commits, which are small and written by us; git writes objects
 * whose size users determine.
 * @param env that of `inQuarantine` or `inScratch`
 */
export async function writeRawCommit(env: Record<string, string>, commit: Buffer): Promise<string> {
  const quarantine = env.GIT_OBJECT_DIRECTORY
  if (quarantine === undefined) throw new Error('objects are written to a quarantine')
  const object = Buffer.concat([Buffer.from(`commit ${commit.length}\0`), commit])
  const oid = createHash('sha1').update(object).digest('hex')
  const folder = join(quarantine, oid.slice(0, 2))
  const draft = join(quarantine, `tmp_obj_${randomUUID()}`)
  try {
    await writeFile(draft, await promisify(deflate)(object), { mode: 0o444, flag: 'wx', flush: true })
    await createFolders(folder)
    await rename(draft, join(folder, oid.slice(2)))
  } catch (error) {
    throw isStorageFull(error) ? storageFull(error) : error
  }
  return oid
}
