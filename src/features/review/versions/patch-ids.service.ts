/** The patch ids of versions: computed when a version is first read, and stored with it. */
import type { App } from '../../../app.ts'
import type { MergeRequestVersion } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { patchId } from '../../../git/diff/patch-id.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { keepPatchId } from './versions.queries.ts'

/** Files plus lines: a larger version gets no patch id, and one request computes no more in total. */
const maxWork = 50_000

/**
 * The versions with their patch ids; missing ones are computed one after another, with two processes each. Beyond the limit per request
 * they stay missing for now.
 */
export async function withPatchIds(app: App, repo: Repo, versions: MergeRequestVersion[]): Promise<MergeRequestVersion[]> {
  const found: MergeRequestVersion[] = []
  let left = maxWork
  for (const version of versions) {
    const work = workOf(version)
    const isNow = version.patch_id === null && (work > maxWork || work <= left)
    if (isNow && work <= maxWork) left -= work
    found.push(isNow ? { ...version, patch_id: await computePatchId(app, repo, version) } : version)
  }
  return found
}

function workOf({ state, files, additions, deletions }: MergeRequestVersion): number {
  return state === 'collected' ? files + additions + deletions : state === 'empty' ? 0 : Number.POSITIVE_INFINITY
}

const tooLarge = ['too_large', 'timed_out', 'unprocessable']

/** Null if git can't compute it now, for example on a busy server. */
async function computePatchId(app: App, repo: Repo, version: MergeRequestVersion): Promise<string | null> {
  try {
    const isReadable = version.state !== 'empty' && workOf(version) <= maxWork
    const patch_id = (isReadable ? await patchId(repo, version.base_oid, version.head_oid) : null) ?? ''
    await keepPatchId(app.db, version.id, patch_id)
    return patch_id
  } catch (error) {
    if (error instanceof Failure && tooLarge.includes(error.code)) await keepPatchId(app.db, version.id, '')
    // A version is useful without it.
    else app.log.warn({ err: error, version: version.id }, 'versions: patch id not computed')
    return null
  }
}
