/** Blobs by id, and their maximum size in JSON. */
import { Failure, notFound } from '../../../failure.ts'
import { streamedFrom_bytes } from '../../../git/objects/blobs.ts'
import type { ObjectInfo } from '../../../git/process/cat-file-pool.ts'
import { findBlob } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** The blob with this id, which may be shortened. Throws `404 Blob Not Found`. */
export async function blobAt(repo: Repo, sha: string): Promise<ObjectInfo> {
  const found = await findBlob(repo, sha)
  if (!found) throw notFound('Blob')
  return found
}

/** Content in JSON takes four times its size in memory, so larger blobs are only served raw. */
const maxInJson_bytes = 4 * streamedFrom_bytes

export function assertFitsInJson(size: number): void {
  if (size > maxInJson_bytes) throw new Failure('too_large', '413 The file is too large for JSON; get it raw')
}
