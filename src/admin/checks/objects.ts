/** Checks that a sample of large files exists in the store with the right size. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Config } from '../../config.ts'
import type { Tables } from '../../db/tables.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { openStore } from '../../store/store.ts'
import { type SampledObject, sampledObjects } from './doctor.queries.ts'
import { type Finding, fail, ok } from './findings.ts'

export async function checkObjects(db: Kysely<Tables>, config: Config): Promise<Finding[]> {
  const objects = await sampledObjects(db)
  const store = config.s3 && (await openStore({ home: config.home, bucket: config.s3 }))
  const faults: string[] = []
  try {
    for (const object of objects) {
      const isThere = await (store ? isInBucket(store, object) : isInFolder(config.home, object))
      if (!isThere) faults.push(object.oid)
    }
  } finally {
    store?.close()
  }
  if (faults.length === 0) return [ok('objects', `a sample of ${objects.length} large files is there`)]
  return [
    fail(
      'objects',
      `${faults.length} of ${objects.length} large files missing or cut: ${faults.slice(0, 5).join(', ')}`,
      'restore them from a backup, or push them again',
    ),
  ]
}

async function isInFolder(home: string, { store_key, size }: SampledObject): Promise<boolean> {
  const found = await stat(join(home, 'objects', store_key)).catch(() => null)
  return found?.size === size
}

/** Checks that its last byte exists. */
async function isInBucket(store: ObjectStore, { store_key, size }: SampledObject): Promise<boolean> {
  if (size === 0) return true
  try {
    const source = await store.open(store_key, { start: size - 1, end: size - 1 })
    let bytes = 0
    for await (const chunk of source) bytes += (chunk as Buffer).length
    return bytes === 1
  } catch {
    return false
  }
}
