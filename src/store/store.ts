/**
 * Opens the object store, a folder or a bucket, for large files and everything else that is stored whole. A store knows keys and bytes;
 * references to keys, and the removal of unreferenced objects, are the task of `features/storage/object-storage`.
 */
import { join } from 'node:path'
import { type BucketOptions, openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'
import type { ObjectStore } from './object-store.ts'

export interface StoreOptions {
  /** The data folder, with the objects when there is no bucket. */
  home: string
  bucket: BucketOptions | null
}

export function openStore({ home, bucket }: StoreOptions): Promise<ObjectStore> {
  return bucket ? openBucket(bucket, home) : openFolder(join(home, 'objects'))
}
