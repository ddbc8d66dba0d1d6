/**
 * Moves an issue to another project: creates a copy with everything that belongs to it, and closes the original with a link to the copy. Or
 * clones it: the copy is a new issue of whoever asks for it, and the original stays as it is.
 */
import { mayUse } from '../../../access/features.ts'
import { findProject, type ProjectAccess } from '../../../access/find.ts'
import { canManageIssue } from '../../../access/issues.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Issue } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid, notFound } from '../../../failure.ts'
import { type Actor, labelIds, peopleIds } from '../../planning/issuables/issuables.ts'
import { assignableAmong, createIssueIn, lockIssue, type NewIssue, updateIssue } from '../../planning/issues/issues.ts'
import { findLabelsByIds, findLabelsByTitles } from '../../planning/labels/labels.ts'
import { findMilestoneTitled, milestonesByIds } from '../../planning/milestones/milestones.ts'
import { copyNotes } from './copied-notes.ts'
import { copyRelations } from './issue-moves.queries.ts'
import { type Route, rewriteTexts } from './rewrite.ts'

/** Whether the actor may move the issue: they need permission to manage issues in both projects, and it must not have been moved before. */
export function canMoveTo(actor: Actor, issue: Issue, target: ProjectAccess): boolean {
  return issue.moved_to_id === null && issue.project_id !== target.project.id && mayCopyTo(actor, target)
}

function mayCopyTo(actor: Actor, target: ProjectAccess): boolean {
  return mayUse('issues', target) && !target.project.archived && canManageIssue(actor) && canManageIssue(target)
}

/**
 * Creates an open issue with the texts, labels, milestone, assignees and dates of this one; its project may be the same. Throws as
 * `moveIssue` does.
 */
export async function cloneIssue(
  app: App,
  actor: Actor,
  { id }: Issue,
  { to_project_id, with_notes }: { to_project_id: number; with_notes: boolean },
): Promise<Issue> {
  const target = await findProject(app.db, String(to_project_id), actor.user)
  return inTransaction(app.db, async (tx) => {
    const issue = await lockIssue(tx, id)
    if (!issue) throw notFound('Issue')
    if (!mayCopyTo(actor, target)) throw invalid('Cannot clone issue due to insufficient permissions!')
    const route = { config: app.config, user: actor.user, from: actor.project, to: target.project }
    let copy = await createIssueIn(tx, { user: actor.user, ...target }, await fieldsThere(tx, actor, issue, target, route))
    if (with_notes) {
      await copyNotes(tx, issue.id, copy, route)
      copy = await updateIssue(tx, copy.id, { user_notes_count: issue.user_notes_count })
    }
    await publish(tx, { type: 'issue_copied', issue, to: copy, action: 'cloned', actor_id: actor.user.id, at: now() })
    return copy
  })
}

/** Throws 400 if they may not, 404 for a project that they can't see. Returns the issue in its new project. */
export async function moveIssue(app: App, actor: Actor, issue: Issue, targetId: number): Promise<Issue> {
  const target = await findProject(app.db, String(targetId), actor.user)
  return inTransaction(app.db, (tx) => moveIssueIn(tx, app.config, actor, issue, target))
}

/** As `moveIssue`, inside a transaction. */
export async function moveIssueIn(tx: Tx, config: Config, actor: Actor, { id }: Issue, target: ProjectAccess): Promise<Issue> {
  const issue = await lockIssue(tx, id)
  if (!issue) throw notFound('Issue')
  if (issue.project_id === target.project.id) throw invalid('Cannot move issue to project it originates from!')
  if (!canMoveTo(actor, issue, target)) throw invalid('Cannot move issue due to insufficient permissions!')
  const route = { config, user: actor.user, from: actor.project, to: target.project }
  const copy = await copyIssue(tx, actor, issue, target, route)
  await copyNotes(tx, issue.id, copy, route)
  await copyRelations(tx, issue.id, copy.id)
  await leadTo(tx, actor, issue, copy)
  return copy
}

async function copyIssue(tx: Tx, actor: Actor, issue: Issue, target: ProjectAccess, route: Route): Promise<Issue> {
  const copy = await createIssueIn(
    tx,
    { user: actor.user, ...target },
    {
      ...(await fieldsThere(tx, actor, issue, target, route)),
      author_id: issue.author_id,
      created_at: issue.created_at,
      copy_of: issue,
    },
  )
  const { state, closed_at, closed_by_id, total_time_spent, user_notes_count, upvotes, downvotes } = issue
  return updateIssue(tx, copy.id, { state, closed_at, closed_by_id, total_time_spent, user_notes_count, upvotes, downvotes })
}

/** Fields of the copy. People, labels and milestone that don't exist there are left out. */
async function fieldsThere(tx: Tx, actor: Actor, issue: Issue, target: ProjectAccess, route: Route): Promise<NewIssue> {
  const [description = null] = await rewriteTexts(tx, route, issue.description === null ? [] : [issue.description])
  const { title, confidential, discussion_locked, due_date, time_estimate } = issue
  return {
    ...{ title, description, confidential, discussion_locked, due_date, time_estimate },
    milestone_id: await milestoneThere(tx, issue, target),
    assignee_ids: await assignableAmong(tx, target.project, null, await peopleIds(tx, 'issue_assignees', issue.id)),
    label_ids: await labelsThere(tx, actor, issue, target),
  }
}

/** The milestone with the same title. */
async function milestoneThere(tx: Tx, { milestone_id }: Issue, { project }: ProjectAccess): Promise<number | null> {
  const [milestone] = await milestonesByIds(tx, milestone_id === null ? [] : [milestone_id])
  return milestone ? ((await findMilestoneTitled(tx, project, milestone.title))?.id ?? null) : null
}

/** The labels with the same titles. */
async function labelsThere(tx: Tx, { project }: Actor, { id }: Issue, target: ProjectAccess): Promise<number[]> {
  const labels = await findLabelsByIds(tx, project, await labelIds(tx, 'issue_labels', id))
  const found = await findLabelsByTitles(
    tx,
    target.project,
    labels.map(({ title }) => title),
  )
  return found.map((label) => label.id)
}

async function leadTo(tx: Tx, { user }: Actor, issue: Issue, to: Issue): Promise<void> {
  const at = now()
  const isOpen = issue.state === 'opened'
  const closing = isOpen ? { state: 'closed' as const, closed_at: at, closed_by_id: user.id } : {}
  const closed = await updateIssue(tx, issue.id, { ...closing, moved_to_id: to.id, updated_at: at })
  if (isOpen) await publish(tx, { type: 'issue_closed', issue: closed, actor_id: user.id, at, by: { moved_to_id: to.id } })
  await publish(tx, { type: 'issue_copied', issue: closed, to, action: 'moved', actor_id: user.id, at })
}
