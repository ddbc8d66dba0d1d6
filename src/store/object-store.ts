/** What a store of objects does, whichever kind it is: the interface of `folder.ts` and `bucket.ts`. */
import type { Readable } from 'node:stream'

export interface ObjectStore {
  /**
   * Stores what `source` holds under a new key. When this resolves the object is there, whole and durable; when it rejects,
   * because the source failed or the store did, nobody ever sees any of it. `size` is what the source will hold, in bytes.
   */
  put: (key: string, source: Readable, size: number) => Promise<void>
  /** The bytes from `start` to `end`, both included and both in the object; all without a part. `not_found` where there is no object. */
  open: (key: string, part?: Part) => Promise<Readable>
  /**
   * Removes an object; one that isn't there is no failure. It also removes what a put of this key has left that never came
   * to its end. Should that put be still under way, it fails.
   */
  remove: (key: string) => Promise<void>
  /** Where a client may fetch the object by itself for the next `expires_s` seconds; null where it must ask us. */
  address: (key: string, expires_s: number) => Promise<string | null>
  close: () => void
}

export interface Part {
  start: number
  end: number
}
