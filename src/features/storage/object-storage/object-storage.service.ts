/**
 * Stored objects (large files, uploads, avatars, archives): how they get into the store and are removed from it, so that no crash
 * leaves a row without its object, or an object without a row for good.
 *
 * A key is in `unreferenced_objects` from before its first byte is stored until a row refers to it, and again from when none
 * does until it is removed. Once the instant in that row has come the row stays until the object is removed, which may happen at
 * any time, and more than once.
 */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { type Expected, withChecksum } from '../../../store/checksum.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { addUnreferenced, putOffRemoval, takeUnreferenced } from './object-storage.queries.ts'

/** How long an object without a row that refers to it stays in the store. */
const unreferencedLife_ms = 24 * 60 * 60_000
const renewal_ms = 60 * 60_000

/**
 * Stores bytes that must match `expected`, and returns their key. The transaction that inserts a row with the key calls
 * `refer`; until then the object is unreferenced, and removed after a day. That also covers whatever a failed call leaves in
 * the store.
 */
export async function storeObject(app: App, folder: string, source: Readable, expected: Expected): Promise<string> {
  const key = newKey(folder)
  const noted = addUnreferenced(app.db, [key], unreferencedLife_ms)
  // The store creates the object only at the end: by then its row is valid for another day, or there is no object.
  const whole = withChecksum(source, expected, () => noted.then(() => beforeStored(app, key)))
  const renewal = setInterval(() => void renew(app, key), renewal_ms)
  renewal.unref()
  try {
    await noted
    await app.store.put(key, whole, expected.size)
  } finally {
    clearInterval(renewal)
    whole.destroy()
  }
  return key
}

/** As `storeObject`, with everything in a draft of the store: a folder renames it. */
export async function storeDraft(app: App, folder: string, draft: TempFile): Promise<string> {
  const key = newKey(folder)
  await addUnreferenced(app.db, [key], unreferencedLife_ms)
  await app.store.putDraft(key, draft, () => beforeStored(app, key))
  return key
}

function newKey(folder: string): string {
  const name = randomUUID()
  return `${folder}/${name.slice(0, 2)}/${name}`
}

async function beforeStored(app: App, key: string): Promise<void> {
  if (!(await putOffRemoval(app.db, key, unreferencedLife_ms))) throw new Failure('timed_out', 'It took too long to arrive.')
}

/** An upload may take longer than a day, as long as it makes progress. */
async function renew(app: App, key: string): Promise<void> {
  await putOffRemoval(app.db, key, unreferencedLife_ms).catch((error: unknown) =>
    app.log.error({ err: error, key }, 'object storage: removal of an upload not postponed'),
  )
}

/** Marks the object as referenced by a row of this transaction. False if it took too long, and the object is gone. */
export function refer(tx: Db, key: string): Promise<boolean> {
  return takeUnreferenced(tx, key)
}

/**
 * Marks the object as unreferenced, in the transaction that deletes its row: it is removed soon after. Not needed after a failed
 * transaction with `refer`: it may have been committed all the same.
 */
export function abandon(tx: Db, key: string): Promise<void> {
  return abandonAll(tx, [key])
}

/** As `abandon`, for any number of objects. */
export function abandonAll(tx: Db, keys: string[]): Promise<void> {
  return addUnreferenced(tx, keys, 0)
}
