/** Whether a merge request can be merged: by its rows, and by a trial merge of both tips without a working tree. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest, MergeRequestVersion, Project } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { tryMerge, writeMergedTree } from '../../../git/write/merge.ts'
import { type ApprovedProject, approvalsNeeded, type RequestFacts } from '../approval-rules/approval-rules.ts'
import { isBlocked } from '../dependencies/dependencies.ts'
import { type CheckedStatus, havePassed, statusesOf } from '../status-checks/status-checks.ts'
import { currentVersion } from '../versions/versions.ts'
import { hasOpenDiscussions, headPipelineOf, saveStatus } from './mergeability.queries.ts'
import { type DetailedStatus, detailedOf, type Obstacle, obstacles } from './obstacles.ts'

/** Settings of the target project. */
export type MergeRules = ApprovedProject &
  Pick<
    Project,
    | 'merge_method'
    | 'only_allow_merge_if_pipeline_succeeds'
    | 'only_allow_merge_if_all_discussions_are_resolved'
    | 'only_allow_merge_if_all_status_checks_passed'
  >

export interface Mergeability {
  /** The present row: reading may have processed a push. */
  merge_request: MergeRequest
  /** Null if there are no commits to merge. */
  version: MergeRequestVersion | null
  merge_status: MergeRequest['merge_status']
  detailed_merge_status: DetailedStatus
  /** All obstacles, in the order in which they are reported. */
  obstacles: Obstacle[]
  /** The approvals that rules require; null unless it is open. */
  approvals: RequestFacts | null
  /** External status checks; null if a merge doesn't depend on them, or the merge request isn't open. */
  checks: CheckedStatus[] | null
  /** The tips of both branches; null if a branch doesn't exist. */
  source_oid: string | null
  target_oid: string | null
  /** The tree of the merge; null unless it was requested and had to be computed now. */
  tree: string | null
}

/**
 * Whether it can be merged now. The result of git is stored with both tips: without a new push, this takes no process and at most seven
 * statements, ten more where rules require approvals; after one, two processes, of which one tries the merge.
 * @param repo that of the target, for the limits of a caller
 * @param options.writesTree if the caller merges right away: the trial merge is stored if there are no obstacles
 * @param options.into the branch to merge into, if not its target: the rules of that one apply, and no merge is tried
 */
export async function mergeabilityOf(
  app: App,
  known: MergeRequest,
  rules: MergeRules,
  repo: Repo = app.git.open(known.project_id),
  { writesTree = false, into }: { writesTree?: boolean; into?: string } = {},
): Promise<Mergeability> {
  const { merge_request, version } = (await currentVersion(app, known)) ?? { merge_request: known, version: null }
  if (merge_request.state !== 'opened') return ofClosed(merge_request, version)
  const source_oid = await sourceTip(app, merge_request)
  const { target_branch: own_branch } = merge_request
  const target_branch = into ?? own_branch
  const target_oid = await resolveCommit(repo, `refs/heads/${target_branch}`)
  const approvals = await approvalsNeeded(app, rules, { ...merge_request, target_branch }, version)
  const checks = await requiredChecks(app, merge_request, version, rules)
  const found = new Set<Obstacle>(await obstaclesInRows(app, merge_request, version, rules, { approvals, checks }))
  if (source_oid === null) found.add('source_missing')
  if (target_oid === null) found.add('target_missing')
  let checked: Checked = { merge_status: 'cannot_be_merged', tree: null }
  if (source_oid !== null && target_oid !== null) {
    // Without a version its commits may not be in the repository of the target.
    if (version === null || target_branch !== own_branch) checked = { merge_status: 'unchecked', tree: null }
    else {
      const isWritten = writesTree && found.size === 0 && rules.merge_method === 'merge'
      const tips = { source_oid: version.head_oid, target_oid }
      checked = await statusOf(app, repo, merge_request, tips, isWritten)
      for (const one of await obstaclesInGit(repo, tips, checked, rules)) found.add(one)
    }
    if (checked.merge_status === 'unchecked') found.add('unchecked')
  }
  const { merge_status, tree } = checked
  const all = obstacles.filter((obstacle) => found.has(obstacle))
  const detailed_merge_status = detailedOf(all)
  const status = { merge_status, detailed_merge_status, obstacles: all }
  return { merge_request, version, ...status, approvals, checks, source_oid, target_oid, tree }
}

async function obstaclesInGit(
  repo: Repo,
  { source_oid, target_oid }: { source_oid: string; target_oid: string },
  { merge_status }: Checked,
  { merge_method }: MergeRules,
): Promise<Obstacle[]> {
  const base = merge_status === 'unchecked' ? null : await mergeBase(repo, [target_oid, source_oid])
  if (base === source_oid) return ['no_commits']
  const found: Obstacle[] = merge_status === 'cannot_be_merged' ? ['conflict'] : []
  return merge_method !== 'merge' && base !== target_oid ? [...found, 'need_rebase'] : found
}

/** The result for a merge request that isn't open, which needs no git. */
function ofClosed(merge_request: MergeRequest, version: MergeRequestVersion | null): Mergeability {
  const all: Obstacle[] = [merge_request.state === 'locked' ? 'locked' : 'not_open']
  const { merge_status } = merge_request
  const rest = { version, approvals: null, checks: null, source_oid: null, target_oid: null, tree: null }
  return { merge_request, merge_status, detailed_merge_status: detailedOf(all), obstacles: all, ...rest }
}

/** Null if the fork or the branch was deleted. */
async function sourceTip(app: App, { source_project_id, source_branch }: MergeRequest): Promise<string | null> {
  return source_project_id === null ? null : resolveCommit(app.git.open(source_project_id), `refs/heads/${source_branch}`)
}

async function requiredChecks(
  app: App,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
  { only_allow_merge_if_all_status_checks_passed: mustPass }: MergeRules,
): Promise<CheckedStatus[] | null> {
  return mustPass ? statusesOf(app.db, merge_request, version?.head_oid ?? null) : null
}

async function obstaclesInRows(
  app: App,
  merge_request: MergeRequest,
  version: MergeRequestVersion | null,
  rules: MergeRules,
  { approvals, checks }: { approvals: RequestFacts; checks: CheckedStatus[] | null },
): Promise<Obstacle[]> {
  const { id, draft } = merge_request
  const found: Obstacle[] = approvals.state.isApproved ? [] : ['not_approved']
  if (draft) found.push('draft')
  if (await isBlocked(app.db, id)) found.push('merge_request_blocked')
  if (!version || version.commits === 0) found.push('no_commits')
  if (rules.only_allow_merge_if_all_discussions_are_resolved && (await hasOpenDiscussions(app.db, id)))
    found.push('discussions_not_resolved')
  if (checks && !havePassed(checks)) found.push('status_checks_must_pass')
  if (version && rules.only_allow_merge_if_pipeline_succeeds) {
    const pipeline = await headPipelineOf(app.db, merge_request, version.head_oid)
    if (pipeline && isActive(pipeline)) found.push('ci_still_running')
    else if (pipeline && pipeline.status !== 'success' && pipeline.status !== 'skipped') found.push('ci_must_pass')
  }
  return found
}

const active = new Set(['created', 'waiting_for_resource', 'pending', 'running', 'scheduled'])

export function isActive({ status }: { status: string }): boolean {
  return active.has(status)
}

type Checked = Pick<Mergeability, 'merge_status' | 'tree'>

/** The result of merging both tips: as stored, or tried now. */
async function statusOf(
  app: App,
  repo: Repo,
  merge_request: MergeRequest,
  { source_oid, target_oid }: { source_oid: string; target_oid: string },
  writesTree: boolean,
): Promise<Checked> {
  const { merge_status, checked_source_oid, checked_target_oid } = merge_request
  if (merge_status !== 'unchecked' && checked_source_oid === source_oid && checked_target_oid === target_oid)
    return { merge_status, tree: null }
  const checked = await checkMerge(repo, source_oid, target_oid, writesTree)
  // A caller who merges right away writes the status itself, or finds that the branch has moved.
  const isKept = checked.merge_status !== 'unchecked' && checked.tree === null
  if (isKept) await remember(app, merge_request, checked.merge_status, source_oid, target_oid)
  return checked
}

async function checkMerge(repo: Repo, source_oid: string, target_oid: string, writesTree: boolean): Promise<Checked> {
  const without = (merge_status: Checked['merge_status']): Checked => ({ merge_status, tree: null })
  try {
    const base = await mergeBase(repo, [target_oid, source_oid])
    if (base === null || base === source_oid) return without('cannot_be_merged')
    if (base === target_oid) return without('can_be_merged')
    const outcome = await (writesTree ? writeMergedTree : tryMerge)(repo, { ours: target_oid, theirs: source_oid })
    if (outcome.kind !== 'clean') return without('cannot_be_merged')
    return { merge_status: 'can_be_merged', tree: writesTree ? outcome.tree : null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A merge that exceeds git's limits always will; a busy machine may be less busy the next time.
    if (error.code === 'unprocessable') return without('cannot_be_merged')
    if (error.code === 'timed_out' || error.code === 'busy' || error.code === 'too_many_at_once') return without('unchecked')
    throw error
  }
}

async function remember(
  app: App,
  { id, merge_status: before }: MergeRequest,
  merge_status: MergeRequest['merge_status'],
  checked_source_oid: string,
  checked_target_oid: string,
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const merge_request = await saveStatus(tx, id, { merge_status, checked_source_oid, checked_target_oid })
    if (!merge_request || merge_status !== 'cannot_be_merged' || before === 'cannot_be_merged') return
    await publish(tx, { type: 'merge_request_unmergeable', merge_request, actor_id: merge_request.author_id, at: now() })
  })
}
