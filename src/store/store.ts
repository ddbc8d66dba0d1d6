/**
 * Where large files and whatever else is stored as a whole are kept: one small interface, two makes (a folder, a bucket).
 * A store knows keys and bytes; what refers to a key, and when it may go, is for `features/objects`.
 */
import { type BucketOptions, openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'
import type { ObjectStore } from './object-store.ts'

export interface StoreOptions {
  /** The folder of the objects when there is no bucket. */
  folder: string
  bucket: BucketOptions | null
}

export function openStore({ folder, bucket }: StoreOptions): Promise<ObjectStore> {
  return bucket ? openBucket(bucket) : openFolder(folder)
}
