/** The interface of an object store, which `folder.ts` and `bucket.ts` implement. */
import type { Readable } from 'node:stream'

export interface ObjectStore {
  /**
   * Stores `source` under a new key. When this resolves the object is complete and durable; when it rejects, because the source
   * or the store failed, nothing of it is visible. `size` is that of the source, in bytes.
   */
  put: (key: string, source: Readable, size: number) => Promise<void>
  /** The bytes from `start` to `end`, both included and both in the object; all without a part. Throws `not_found`. */
  open: (key: string, part?: Part) => Promise<Readable>
  /**
   * Removes an object; a missing one is no failure. It also removes what an interrupted put of this key left. A put under way
   * fails.
   */
  remove: (key: string) => Promise<void>
  /** A URL where a client may fetch the object for the next `expires_s` seconds; null if objects are only served by us. */
  address: (key: string, expires_s: number) => Promise<string | null>
  close: () => void
}

export interface Part {
  start: number
  end: number
}
