/**
 * Where large files and whatever else is stored as a whole are kept: one small interface, two makes (a folder, a bucket).
 * A store knows keys and bytes; what refers to a key, and when it may go, is for `features/objects`.
 */
import type { Readable } from 'node:stream'
import { openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'

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

export interface StoreOptions {
  /** The folder of the objects when there is no bucket. */
  folder: string
  bucket: BucketOptions | null
}

export interface BucketOptions {
  bucket: string
  region: string
  endpoint: string | null
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  direct_downloads: boolean
}

export function openStore({ folder, bucket }: StoreOptions): Promise<ObjectStore> {
  return bucket ? openBucket(bucket) : openFolder(folder)
}
