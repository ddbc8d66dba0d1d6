/** Detects a full disk: git often reports that it could not write, but not why. */
import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageFull } from '../../failure.ts'

/** More than git needs for a ref or a small object, so that this test fails before git does. */
const tried_bytes = 64 * 1024

/** Whether a file of 64 KiB can't be written and flushed for lack of space or quota. */
export async function isFull(folder: string): Promise<boolean> {
  // `removeStaleFiles` relies on this name.
  const path = join(folder, `.probe-${randomUUID()}`)
  try {
    const file = await open(path, 'wx')
    try {
      await rm(path)
      await file.writeFile(Buffer.alloc(tried_bytes))
      await file.sync()
    } finally {
      await file.close()
    }
    return false
  } catch (error) {
    return isStorageFull(error)
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}
