/** Writes commits as loose objects without a process of git, which for one small object would cost more than all of the rest. */
import { createHash, randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { createFolders } from '../../durable.ts'
import { isStorageFull, storageFull } from '../../failure.ts'

/**
 * Writes a raw commit to a quarantine, flushed, and gives its id. Of objects that are as large as users make them git itself takes
 * care: a commit is small, and made by us.
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
