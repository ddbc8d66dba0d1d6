/**
 * What is stored as a whole (large files; later uploads, artifacts): how it comes into the objects store and goes from it,
 * so that no crash leaves a row without its object, or an object for ever without a row.
 *
 * A key is in `unreferenced_objects` from before its first byte is stored until a row refers to it, and again from when none
 * does until it is removed. Once the instant that stands there has come it is never taken out again: whoever removes may
 * do so whenever he gets to it, and as often as he likes.
 */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { type Expected, withChecksum } from '../../../store/checksum.ts'
import { addUnreferenced, putOffRemoval, takeUnreferenced } from './object-storage.queries.ts'

/** An object that nothing refers to goes so long after its process was last at it. */
const patience_ms = 24 * 60 * 60_000
const renewal_ms = 60 * 60_000

/**
 * Stores bytes that must be as `expected`, and gives back the key they are under. Whoever makes a row of it calls
 * `refer` in the same transaction; until then the object is nobody's, and goes after a day. However this fails, it leaves
 * no more than that row: what the store may have after all goes with it.
 */
export async function storeObject(app: App, folder: string, source: Readable, expected: Expected): Promise<string> {
  const name = randomUUID()
  const key = `${folder}/${name.slice(0, 2)}/${name}`
  const noted = addUnreferenced(app.db, [key], patience_ms)
  // The store makes an object of it after the end alone: by then its row has a day before it, or there is no object.
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

async function beforeStored(app: App, key: string): Promise<void> {
  if (!(await putOffRemoval(app.db, key, patience_ms))) throw new Failure('timed_out', 'It took too long to arrive.')
}

/** An upload may last longer than a day, as long as somebody is at it. */
async function renew(app: App, key: string): Promise<void> {
  await putOffRemoval(app.db, key, patience_ms).catch((error: unknown) =>
    app.log.error({ err: error, key }, 'the removal of what is being stored could not be put off'),
  )
}

/** A row refers to the object from the end of this transaction on. False when it took too long, and the object is gone. */
export function refer(tx: Db, key: string): Promise<boolean> {
  return takeUnreferenced(tx, key)
}

/**
 * Nothing refers to the object any more once this transaction ends, which is the one that removes the row: it is removed soon
 * after. A transaction with `refer` that failed needs no such word: it may have come through after all.
 */
export function abandon(tx: Db, key: string): Promise<void> {
  return abandonAll(tx, [key])
}

/** As `abandon`, for any number of objects. */
export function abandonAll(tx: Db, keys: string[]): Promise<void> {
  return addUnreferenced(tx, keys, 0)
}
