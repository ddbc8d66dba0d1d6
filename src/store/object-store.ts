/** The interface of an object store, which `folder.ts` and `bucket.ts` implement. */
import type { Readable } from 'node:stream'
import type { TempFile } from './temp-file.ts'

export interface ObjectStore {
  /**
   * Stores `source` under a new key. When this resolves, the object is complete and durable; when it rejects because the source or the
   * store failed, nothing of it is visible. `size` is that of the source, in bytes.
   */
  put: (key: string, source: Readable, size: number) => Promise<void>
  /** A temporary file for bytes that may become an object. */
  openDraft: () => Promise<TempFile>
  /**
   * As `put`, with what is in a draft, which is written once where it has a name. `beforeEnd` is called before the object is visible, and
   * nothing of it is if it fails.
   */
  putDraft: (key: string, draft: TempFile, beforeEnd: () => Promise<void>) => Promise<void>
  /** Removes drafts that killed processes have left. */
  removeForgotten: () => Promise<void>
  /** The bytes from `start` to `end`, both inclusive and inside the object; all bytes without a part. Throws `not_found`. */
  open: (key: string, part?: Part) => Promise<Readable>
  /** Removes an object; a missing one is no error. It also removes what an interrupted put of this key left. A put in progress fails. */
  remove: (key: string) => Promise<void>
  /** A URL from which a client may download the object for the next `expires_s` seconds; null if only this server serves objects. */
  address: (key: string, expires_s: number) => Promise<string | null>
  close: () => void
}

export interface Part {
  start: number
  end: number
}
