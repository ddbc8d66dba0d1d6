/** The ref of the result of merging, which CI can test before the merge. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { mergeRequestMergeRef, readServiceRef } from '../../../git/refs/service-refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { writeMergeCommit, writeMergedTree } from '../../../git/write/merge.ts'
import { mergeabilityOf } from '../../review/mergeability/mergeability.ts'
import { setMergeRef } from '../../review/versions/versions.ts'

/** The author of trial merges. */
const nobody = { name: 'Gitstead', email: 'noreply@gitstead.invalid' }

/**
 * The id of the commit at `refs/merge-requests/:iid/merge`, updated if one of the branches has moved. Throws 400 if the branches can't be
 * merged.
 */
export async function mergeRefOf(app: App, repo: Repo, project: LocatedProject, known: MergeRequest): Promise<string> {
  const { merge_request, merge_status, version, target_oid } = await mergeabilityOf(app, known, project, repo)
  const unmergeable = () => invalid('Merge request is not mergeable')
  if (!version || !target_oid || merge_status !== 'can_be_merged') throw unmergeable()
  const there = await readServiceRef(repo, mergeRequestMergeRef(merge_request.iid))
  const parents = [target_oid, version.head_oid]
  if (there && (await readCommit(repo, there)).parents.join() === parents.join()) return there
  const sides = { ours: target_oid, theirs: version.head_oid }
  const outcome = await writeMergedTree(repo, sides)
  if (outcome.kind !== 'clean') throw unmergeable()
  const message = `Merge ${version.head_oid} into ${target_oid}`
  const oid = await writeMergeCommit(repo, sides, outcome.tree, { author: nobody, committer: nobody, message })
  await setMergeRef(repo, merge_request.iid, oid)
  return oid
}
