/** Presents one merge request to a reader. */
import type { LocatedProject, ProjectAccess } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { levelsInProject } from '../../../access/readers.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { countCommits } from '../../../git/history/history.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentPipelineOfId } from '../../ci/pipelines/pipelines.ts'
import { renderPlainTexts, renderText } from '../../discussion/references/references.ts'
import { isSubscribed } from '../../planning/issuables/issuables.ts'
import { mayMergeTo } from '../../repository/pushes/pushes.ts'
import type { MergeRequest as MergeRequestSchema } from '../../review/merge-requests/merge-requests.schema.ts'
import {
  type DescribedMergeRequest,
  describeMergeRequests,
  isFirstOf,
  presentMergeRequest,
  type SingleForm,
  type SingleOptions,
} from '../../review/merge-requests/merge-requests.ts'
import { headPipelineOf, mergeabilityOf } from '../../review/mergeability/mergeability.ts'
import { newestVersion } from '../../review/versions/versions.ts'

/** Limit of counting. */
const maxDiverged = 10_000

/** A single merge request with up-to-date data: a push to its source branch is included. */
export async function presentTo(
  app: App,
  user: User,
  { project, level }: ProjectAccess,
  known: MergeRequest,
  options: SingleOptions = {},
): Promise<Presented<typeof MergeRequestSchema>> {
  const status = await mergeabilityOf(app, known, project)
  const { merge_request } = status
  const version = status.version ?? (await newestVersion(app.db, merge_request.id))
  const [[described], subscribed, can_merge, first_contribution] = await Promise.all([
    describeMergeRequests(app.db, [merge_request]),
    isSubscribed(app.db, user.id, { kind: 'merge_request', id: merge_request.id }),
    canMerge(app, { project, level }, merge_request),
    isFirstContribution(app, project, merge_request),
  ])
  const { head_oid } = merge_request
  const pipeline = head_oid === null ? null : await headPipelineOf(app.db, merge_request, head_oid)
  const single: SingleForm = {
    subscribed,
    can_merge,
    first_contribution,
    version,
    head_pipeline: pipeline && (await presentPipelineOfId(app, pipeline.id)),
    rebase_in_progress: options.include_rebase_in_progress ? merge_request.rebase_oid !== null : undefined,
    diverged_commits_count: options.include_diverged_commits_count ? await countDiverged(app, merge_request) : undefined,
    ...(options.render_html && (await renderTexts(app, { user, project, level }, merge_request))),
  }
  return presentMergeRequest(app.config, described as DescribedMergeRequest, { within: project.id, status, single })
}

/** Whether the role of the caller is enough to merge into the target branch. */
function canMerge(app: App, { project, level }: ProjectAccess, { target_branch }: MergeRequest): Promise<boolean> {
  return mayMergeTo(app, { project, level }, target_branch)
}

/** Whether it is the first merge request of someone who is at most a guest in the project. */
async function isFirstContribution(app: App, project: LocatedProject, merge_request: MergeRequest): Promise<boolean> {
  if (!(await isFirstOf(app.db, merge_request))) return false
  const author = { id: merge_request.author_id, admin: false, external: false }
  const levels = await levelsInProject(app.db, project, [author])
  return (levels.get(author.id) ?? 0) <= accessLevels.guest
}

/** The number of commits of the target branch that the source lacks; 0 if one of them is gone. */
async function countDiverged(app: App, { project_id, target_branch, head_oid }: MergeRequest): Promise<number> {
  const repo = app.git.open(project_id)
  const tip = await resolveCommit(repo, `refs/heads/${target_branch}`)
  return tip === null || head_oid === null ? 0 : countCommits(repo, tip, head_oid, maxDiverged)
}

async function renderTexts(app: App, reader: ProjectAccess & { user: User }, { title, description }: MergeRequest) {
  const [title_html = ''] = await renderPlainTexts(app, reader, [title])
  return { title_html, description_html: description === null ? '' : await renderText(app, reader, description) }
}
