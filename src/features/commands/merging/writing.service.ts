/**
 * Steps that every merge takes, by hand or by a queue: finds the issues to close, writes the commits, and checks the rules again under the
 * lock.
 */
import type { App } from '../../../app.ts'
import type { Tx } from '../../../db/database.ts'
import type { MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { MergeSides } from '../../../git/write/merge.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { approvalFactsOf, type RequestFacts } from '../../review/approval-rules/approval-rules.ts'
import { isBlocked } from '../../review/dependencies/dependencies.ts'
import { type MergeParams, withOpenDiscussions } from '../../review/merge-requests/merge-requests.ts'
import { havePassed, statusesOf } from '../../review/status-checks/status-checks.ts'
import { type ClosedIssue, closedIssues } from './closing.ts'
import { commitsOf, factsOf } from './facts.ts'
import { notOpen } from './marking.ts'
import { type WrittenMerge, writeMerge } from './merge-commits.ts'
import { defaultMergeTemplate, defaultSquashTemplate, fillTemplate } from './messages.ts'
import { removerOf } from './removal.jobs.ts'

/** Its commits, and the issues that it closes. */
export async function closingBy(app: App, { project, user }: Pusher, merge_request: MergeRequest) {
  const isClosing = merge_request.target_branch === project.default_branch
  const commits = await commitsOf(app, merge_request)
  const messages = commits.map(({ message }) => message)
  const issues = isClosing ? await closedIssues(app.db, user, project, merge_request, messages, app.config.url) : []
  return { commits, issues }
}

export interface MergeToWrite {
  merge_request: MergeRequest
  commits: Commit[]
  issues: ClosedIssue[]
  params: MergeParams
  /** The tree of the merge, if it has just been written. */
  tree: string | null
  sides: MergeSides
  isForward: boolean
  isSquashed: boolean
}

/** Null if the branches conflict, or the method requires a rebase first. */
export async function writeMergeOf(
  app: App,
  repo: Repo,
  { project, user: merger }: Pusher,
  { merge_request, commits, issues, params, sides, ...rest }: MergeToWrite,
): Promise<WrittenMerge | null> {
  const facts = await factsOf(app, { merge_request, project, merger, commits, issues })
  return writeMerge(repo, sides, {
    ...{ method: project.merge_method, merger, author: facts.author, ...rest },
    mergeMessage: params.merge_commit_message || fillTemplate(project.merge_commit_template ?? defaultMergeTemplate, facts),
    squashMessage: params.squash_commit_message || fillTemplate(project.squash_commit_template ?? defaultSquashTemplate, facts),
  })
}

/** Whether one commit takes the place of those of the branch: of a single one there is nothing to squash. */
export function isSquashed({ squash }: MergeRequest, version: MergeRequestVersion | null, { project }: Pick<Pusher, 'project'>): boolean {
  const { squash_option } = project
  return (squash_option === 'always' || (squash_option !== 'never' && squash)) && (version?.commits ?? 0) > 1
}

/** Whether the source branch is removed after the merge: somebody wants it, and may. */
export async function removesSourceOf(
  app: App,
  { project, user }: Pusher,
  merge_request: MergeRequest,
  params: MergeParams,
): Promise<boolean> {
  const isWanted =
    params.should_remove_source_branch ?? (merge_request.force_remove_source_branch || project.remove_source_branch_after_merge)
  return isWanted && (await removerOf(app, merge_request, user.id)) !== null
}

/** An approval may have been taken back, or a rule added, since the merge began. */
export async function assertStillApproved(
  tx: Tx,
  { project }: Pick<Pusher, 'project'>,
  merge_request: MergeRequest,
  before: RequestFacts | null,
): Promise<void> {
  const { state } = await approvalFactsOf(tx, project, merge_request, before?.git ?? { committers: [], owners: [] })
  if (!state.isApproved) throw notOpen()
}

/** Another request that comes before may have been named since. */
export async function assertNotBlocked(tx: Tx, { id }: MergeRequest): Promise<void> {
  if (await isBlocked(tx, id)) throw notOpen()
}

/** Another system may have changed its answer since. */
export async function assertStillChecked(tx: Tx, { project }: Pick<Pusher, 'project'>, merge_request: MergeRequest): Promise<void> {
  const mustPass = project.only_allow_merge_if_all_status_checks_passed
  if (mustPass && !havePassed(await statusesOf(tx, merge_request, merge_request.head_oid))) throw notOpen()
}

/** A discussion may have been opened since. */
export async function assertStillDiscussed(tx: Tx, { project }: Pick<Pusher, 'project'>, { id }: MergeRequest): Promise<void> {
  const mustBeResolved = project.only_allow_merge_if_all_discussions_are_resolved
  if (mustBeResolved && (await withOpenDiscussions(tx, [id])).size > 0) throw notOpen()
}
