/** Creates, changes and deletes merge requests, including the quick actions in descriptions. */
import { findProject, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { Failure, notFound, nullIfMissing } from '../../../failure.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import {
  canReopen,
  changeMergeRequestIn,
  createMergeRequestIn,
  lockMergeRequest,
  ownsSource,
  removeMergeRequestIn,
} from '../../review/merge-requests/merge-requests.ts'
import { createVersionIn, ensureRefs, prepareVersion } from '../../review/versions/versions.ts'
import {
  applyUpdates,
  type Command,
  interpretQuickActions,
  type Known,
  knownFor,
  mergeRequestChangeOf,
  splitQuickActions,
} from '../quick-actions/quick-actions.ts'
import { assertPair, findTarget, mayAllowCollaboration, tipOf } from './branches.service.ts'
import { acceptRequest, type MergeRequestRequest } from './request.service.ts'

export interface NewMergeRequestRequest extends MergeRequestRequest {
  title: string
  source_branch: string
  target_branch: string
  target_project_id?: number | undefined
}

export interface MergeRequestChangeRequest extends MergeRequestRequest {
  target_branch?: string | undefined
  state_event?: 'close' | 'reopen' | undefined
}

/** A created merge request, with its project. */
export interface CreatedMergeRequest {
  merge_request: MergeRequest
  /** Access to the target project. */
  access: ProjectAccess
}

/**
 * Creates a merge request with the first version of its diff and its refs; its commits are then in the repository of the target. Fields
 * that the actor may not set are ignored. Throws 400 for unknown branches and invalid fields, 403 and 404 for a target that they may not
 * use, 409 if one is already open between these branches, 422 if there can be none between the two.
 */
export async function createMergeRequest(
  app: App,
  user: User,
  source: ProjectAccess,
  request: NewMergeRequestRequest,
  repoOf = (projectId: number) => app.git.open(projectId),
): Promise<CreatedMergeRequest> {
  const { source_branch } = request
  const access = await findTarget(app.db, user, source, request.target_project_id)
  const actor: Actor = { user, ...access }
  const { text, commands } = splitQuickActions(request.description ?? '')
  const known = await knownFor(app, actor, { kind: 'merge_request', row: null }, commands)
  const target_branch = namedTarget(actor, commands, known) ?? request.target_branch
  const from = { project: source.project, branch: source_branch }
  await assertPair(app.db, from, { project: access.project, branch: target_branch })
  const [sourceRepo, targetRepo] = [repoOf(source.project.id), repoOf(access.project.id)]
  const head_oid = await tipOf(sourceRepo, source_branch, 'source_branch')
  const start_oid = await tipOf(targetRepo, target_branch, 'target_branch')
  const mayCollaborate = await mayAllowCollaboration(app, user, from, access.project)
  const contents = await prepareVersion(targetRepo, sourceRepo, start_oid, head_oid)
  const merge_request = await inTransaction(app.db, async (tx) => {
    const accepted = await acceptRequest(tx, actor, null, request, mayCollaborate)
    const { updates } = await interpretQuickActions(tx, app.config, actor, { kind: 'merge_request', row: null }, commands, known)
    const { spend_time, add_label_ids = [], ...planned } = updates
    const asked = mergeRequestChangeOf(planned, [], request.title)
    const created = await createMergeRequestIn(tx, actor, {
      ...accepted,
      title: asked.title ?? request.title,
      description: request.description == null ? null : text,
      milestone_id: asked.milestone_id ?? accepted.milestone_id,
      assignee_ids: asked.assignee_ids ?? accepted.assignee_ids,
      reviewer_ids: asked.reviewer_ids ?? accepted.reviewer_ids,
      time_estimate: asked.time_estimate,
      label_ids: [...new Set([...(accepted.label_ids ?? []), ...add_label_ids])],
      source_project_id: source.project.id,
      source_branch,
      target_branch,
      head_oid,
    })
    await createVersionIn(tx, created, contents)
    return spend_time ? applyUpdates(tx, app.config, actor, { kind: 'merge_request', row: created }, { spend_time }) : created
  })
  await ensureRefs(app, merge_request.id)
  return { merge_request, access }
}

/** The target branch that quick actions in the description choose, since the version is computed with it. Null if they choose none. */
function namedTarget(actor: Actor, commands: Command[], { branches }: Known): string | null {
  if (!canManageMergeRequests(actor)) return null
  const named = commands.filter(({ name, argument }) => name === 'target_branch' && branches.has(argument))
  return named.at(-1)?.argument ?? null
}

/**
 * Changes the fields that were sent, with everything that follows from it. Fields that the actor may not set are ignored. Throws 400 for an
 * invalid field, 404 if it was deleted meanwhile, 409 if another one is already open between its branches, 422 for a target that is its
 * source.
 */
export async function changeMergeRequest(
  app: App,
  actor: Actor,
  merge_request: MergeRequest,
  request: MergeRequestChangeRequest,
): Promise<MergeRequest> {
  const source = await sourceOf(app, merge_request)
  if (request.target_branch !== undefined) await assertNewTarget(app, actor, merge_request, request.target_branch)
  const mayReopen = request.state_event === 'reopen' && (await canReopen(app, actor, merge_request))
  const from = source && { project: source, branch: merge_request.source_branch }
  const mayCollaborate = from !== null && (await mayAllowCollaboration(app, actor.user, from, actor.project))
  // The branch will be removed on behalf of the author, so only the author may choose that.
  const isOwn = merge_request.author_id === actor.user.id || (source !== null && (await ownsSource(app.db, actor.user, source)))
  const { description } = request
  const { text, commands } = splitQuickActions(description ?? '')
  const known = await knownFor(app, actor, { kind: 'merge_request', row: merge_request }, commands)
  return inTransaction(app.db, async (tx) => {
    // Labels may be added to the present ones, so no other change may come in between.
    const locked = await lockMergeRequest(tx, merge_request.id)
    if (!locked) throw notFound('Merge Request')
    const changed = await changeMergeRequestIn(tx, actor, locked.id, {
      ...(await acceptRequest(tx, actor, locked, isOwn ? request : { ...request, remove_source_branch: undefined }, mayCollaborate)),
      description: description === undefined || description === null ? description : text,
      target_branch: request.target_branch,
      state: request.state_event === 'close' ? 'closed' : mayReopen ? 'opened' : undefined,
    })
    const on = { kind: 'merge_request', row: changed } as const
    const { updates } = await interpretQuickActions(tx, app.config, actor, on, commands, known)
    return applyUpdates(tx, app.config, actor, on, updates)
  })
}

/** The project of its source branch, without an access check; null if it was deleted. */
async function sourceOf({ db }: App, { source_project_id }: MergeRequest): Promise<LocatedProject | null> {
  if (source_project_id === null) return null
  const found = await findProject(db, String(source_project_id), everything).catch(nullIfMissing)
  return found?.project ?? null
}

async function assertNewTarget(app: App, { project }: Actor, merge_request: MergeRequest, target_branch: string): Promise<void> {
  const { source_project_id, source_branch } = merge_request
  await tipOf(app.git.open(project.id), target_branch, 'target_branch')
  if (source_project_id === project.id && source_branch === target_branch) {
    throw new Failure('unprocessable', ["You can't use same project/branch for source and target"])
  }
}

export async function removeMergeRequest(app: App, actor: Actor, { id }: MergeRequest): Promise<void> {
  await inTransaction(app.db, (tx) => removeMergeRequestIn(tx, actor.user.id, id))
}
