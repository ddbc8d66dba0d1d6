/** The result of merging a merge request at its own ref, which CI can test before the merge. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { mergeRequestMergeRef, readServiceRef } from '../../../git/refs/service-refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { writeMergeCommit, writeMergedTree } from '../../../git/write/merge.ts'
import { setMergeRef } from '../versions/versions.ts'
import { mergeabilityOf } from './mergeability.service.ts'

/** The author of trial merges. */
const nobody = { name: 'Gitstead', email: 'noreply@gitstead.invalid' }

export interface MergeResult {
  /** The merge commit. */
  oid: string
  /** The tip of the source branch that it has. */
  head_oid: string
}

/** The commit at `refs/merge-requests/:iid/merge`, updated if one of the branches has moved. Null if the branches can't be merged. */
export async function mergeResultOf(app: App, repo: Repo, project: LocatedProject, known: MergeRequest): Promise<MergeResult | null> {
  const { merge_request, merge_status, version, target_oid } = await mergeabilityOf(app, known, project, repo)
  if (!version || !target_oid || merge_status !== 'can_be_merged') return null
  const { head_oid } = version
  const there = await readServiceRef(repo, mergeRequestMergeRef(merge_request.iid))
  const parents = [target_oid, head_oid]
  if (there && (await readCommit(repo, there)).parents.join() === parents.join()) return { oid: there, head_oid }
  const sides = { ours: target_oid, theirs: head_oid }
  const outcome = await writeMergedTree(repo, sides)
  if (outcome.kind !== 'clean') return null
  const message = `Merge ${head_oid} into ${target_oid}`
  const oid = await writeMergeCommit(repo, sides, outcome.tree, { author: nobody, committer: nobody, message })
  await setMergeRef(repo, merge_request.iid, oid)
  return { oid, head_oid }
}

/** The id of that commit. Throws 400 if the branches can't be merged. */
export async function mergeRefOf(app: App, repo: Repo, project: LocatedProject, merge_request: MergeRequest): Promise<string> {
  const result = await mergeResultOf(app, repo, project, merge_request)
  if (!result) throw invalid('Merge request is not mergeable')
  return result.oid
}
