/**
 * What is stored as a whole (large files; later uploads, artifacts): how it comes into the objects store and goes from it,
 * so that no crash leaves a row without its object, or an object for ever without a row.
 */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import type { Db } from '../../db/database.ts'
import { type Expected, verified } from '../../store/verified.ts'
import { addUnreferenced, takeUnreferenced } from './objects.queries.ts'

/** An object that nothing refers to yet goes after this long. An upload has to come to its end before. */
const patience_ms = 24 * 60 * 60_000

/**
 * Stores bytes that must be as `expected`, and gives back the key they are under. Whoever makes a row of it calls
 * `refer` in the same transaction; until then the object is nobody's, and goes after a day.
 */
export async function storeObject(app: App, folder: string, source: Readable, expected: Expected): Promise<string> {
  const name = randomUUID()
  const key = `${folder}/${name.slice(0, 2)}/${name}`
  await addUnreferenced(app.db, key, patience_ms)
  try {
    await app.store.put(key, verified(source, expected), expected.size)
  } catch (error) {
    await addUnreferenced(app.db, key, 0)
    throw error
  }
  return key
}

/** A row refers to the object from the end of this transaction on. False when it took too long, and the object is gone. */
export function refer(tx: Db, key: string): Promise<boolean> {
  return takeUnreferenced(tx, key)
}

/** Nothing refers to the object any more once this transaction ends: it is removed soon after. */
export function abandon(tx: Db, key: string): Promise<void> {
  return addUnreferenced(tx, key, 0)
}
