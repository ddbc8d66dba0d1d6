/** From what a caller names to what git knows: a commit, a blob. */
import type { LocatedProject } from '../../../access/find.ts'
import { Failure, notFound } from '../../../failure.ts'
import { streamedFrom_bytes } from '../../../git/objects/blobs.ts'
import type { ObjectInfo } from '../../../git/process/cat-file-pool.ts'
import { findBlob, resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** The commit that `ref` names, or the tip of the default branch. Throws `404 <noun> Not Found`. */
export async function commitAt(repo: Repo, project: LocatedProject, ref: string | undefined, noun: string): Promise<string> {
  const revision = ref || (project.default_branch && `refs/heads/${project.default_branch}`)
  const commit = revision ? await resolveCommit(repo, revision) : null
  if (!commit) throw notFound(noun)
  return commit
}

/** The blob with this id, which may be shortened. Throws `404 Blob Not Found`. */
export async function blobAt(repo: Repo, sha: string): Promise<ObjectInfo> {
  const found = await findBlob(repo, sha)
  if (!found) throw notFound('Blob')
  return found
}

/** Content that goes into JSON stands in memory four times over: more is served raw only. */
const maxInJson_bytes = 4 * streamedFrom_bytes

export function assertNotTooLarge(size: number): void {
  if (size > maxInJson_bytes) throw new Failure('too_large', '413 The file is too large for JSON; get it raw')
}
