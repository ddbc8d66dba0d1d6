/** The contents of the box about merging, and how it is read. */
import { mayReadJobs } from '../../../access/jobs.ts'
import type { MergeRequestVersion, Pipeline } from '../../../db/tables.ts'
import { failedJobsOf, type ShownJob } from '../../../features/ci/overviews/overviews.ts'
import { type NamedIssue, namesOfClosedIssues } from '../../../features/commands/merge-requests/merge-requests.ts'
import { carOf, positionOf } from '../../../features/commands/merge-trains/merge-trains.ts'
import { mayPassTrain } from '../../../features/commands/merging/merging.ts'
import { mayMergeTo } from '../../../features/repository/pushes/pushes.ts'
import { type Approval, canApprove } from '../../../features/review/approvals/approvals.ts'
import { isQueued } from '../../../features/review/merge-requests/merge-requests.ts'
import { headPipelineOf, type Mergeability, mergeabilityOf } from '../../../features/review/mergeability/mergeability.ts'
import { type CheckedStatus, statusesOf } from '../../../features/review/status-checks/status-checks.ts'
import { newestVersion } from '../../../features/review/versions/versions.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type MissingApproval, missingApprovals } from './approvals.ts'
import type { Framed } from './frame.ts'
import type { MergeRequestSeen } from './seen.ts'

export interface Merging {
  mergeability: Mergeability
  /** The newest, of closed merge requests too. */
  version: MergeRequestVersion | null
  /** Whether the viewer may merge into the target branch. */
  mayMerge: boolean
  /** The pipeline of the newest commit. */
  pipeline: Pipeline | null
  /** Jobs for which it failed, as far as the viewer may see them. */
  failedJobs: Array<Pick<ShownJob, 'id' | 'name' | 'kind'>>
  /** Issues that the merge closes, or has closed, as far as the viewer can see it. */
  closing: NamedIssue[]
  /** Whether the viewer may approve it, if they haven't. */
  mayApprove: boolean
  missing: MissingApproval[]
  /** External status checks, with their results for the newest commit. */
  checks: CheckedStatus[]
  /** From 1, in the queue of its target branch; null if it isn't there. */
  position: number | null
  /** Whether the viewer may merge at once where the project has a queue. */
  mayPass: boolean
}

const maxClosing = 20
/** One more than the page names. */
export const maxFailed = 4

/** Reads what the box shows. If nothing was pushed since the last look: eleven statements at most, and no process. */
export async function readMerging({ app, project, repo, user, level, merge_request }: MergeRequestSeen): Promise<Merging> {
  const mergeability = await mergeabilityOf(app, merge_request, project, repo)
  const version = mergeability.version ?? (await newestVersion(app.db, merge_request.id))
  const isOpen = mergeability.merge_request.state === 'opened'
  const mayMerge = isOpen && user !== null && (await mayMergeTo(app, { project, level }, merge_request.target_branch))
  const pipeline = version && (await headPipelineOf(app.db, merge_request, version.head_oid, project.id))
  const isFailed = pipeline?.status === 'failed' && mayReadJobs({ project, level })
  const failedJobs = isFailed ? await failedJobsOf(app.db, pipeline.id, maxFailed) : []
  const closing = await namesOfClosedIssues(app.db, user, merge_request.id, maxClosing)
  const needed = mergeability.approvals
  const isAsked = isOpen && !project.archived && needed !== null
  const mayApprove = isAsked && (await canApprove(app.db, { project, level }, mergeability.merge_request, user, needed))
  const missing = needed === null ? [] : await missingApprovals(app.db, user, needed)
  const checks = isOpen ? (mergeability.checks ?? (await statusesOf(app.db, merge_request, version?.head_oid ?? null))) : []
  const car = isQueued(mergeability.merge_request) ? await carOf(app.db, merge_request.id) : null
  const position = car && (await positionOf(app.db, car))
  const mayPass = mayMerge && mayPassTrain({ project, level })
  return { mergeability, version, mayMerge, pipeline, failedJobs, closing, mayApprove, missing, checks, position, mayPass }
}

export interface MergeShown {
  framed: Framed
  merging: Merging
  approvals: readonly Approval[]
  /** The form that merges, if it was rejected. */
  refused: Typed | null
  /** The form that approves, if it was rejected. */
  refusedApproval: Typed | null
}
