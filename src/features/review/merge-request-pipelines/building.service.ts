/** Chooses the commit that a merge request pipeline builds: its source branch or, if the project asks for it, the result of merging it. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import type { PipelineRequest } from '../../ci/pipelines/pipelines.ts'
import { mergeResultOf } from '../mergeability/mergeability.ts'

type Tested = Pick<PipelineRequest, 'sha' | 'source_sha' | 'merge_event'>

/** Branches that conflict have no result: then it is the source branch. Null without commits. Two processes if a branch has moved. */
export async function pipelineRequestOf(
  app: App,
  project: LocatedProject,
  merge_request: MergeRequest,
  user: User,
): Promise<PipelineRequest | null> {
  const { head_oid, source_branch } = merge_request
  if (head_oid === null) return null
  const merged = project.merge_pipelines_enabled ? await mergeResultOf(app, app.git.open(project.id), project, merge_request) : null
  const tested: Tested = merged ? { sha: merged.oid, source_sha: merged.head_oid, merge_event: 'merged_result' } : { sha: head_oid }
  return { project, user, ref: source_branch, ref_kind: 'merge_request', source: 'merge_request_event', merge_request, ...tested }
}
