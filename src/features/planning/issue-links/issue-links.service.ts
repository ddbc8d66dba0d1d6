/** Rules of links between issues: one per pair, created and removed by users who manage both issues. */
import { findProject, type ProjectAccess } from '../../../access/find.ts'
import { canManageIssue } from '../../../access/issues.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Issue, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, notFound } from '../../../failure.ts'
import { findIssue, issueById } from '../issues/issues.ts'
import { deleteLink, type IssueLink, insertLink, linkOf } from './issue-links.queries.ts'

/** As seen from one of the issues. */
export const linkTypes = ['relates_to', 'blocks', 'is_blocked_by'] as const

export type LinkType = (typeof linkTypes)[number]

export interface LinkRequest {
  target_project_id: string
  target_issue_iid: number
  link_type: LinkType
}

/** A link with both issues. */
export interface WholeLink {
  link: IssueLink
  source: Issue
  target: Issue
}

/** The type of a link as seen from one of its issues. */
export function typeSeenFrom(issueId: number, { source_id, link_type }: Pick<IssueLink, 'source_id' | 'link_type'>): LinkType {
  return link_type === 'blocks' && source_id !== issueId ? 'is_blocked_by' : link_type
}

/**
 * Links two issues. Throws 404 if the caller can't see the other one, 403 if they only manage one, 409 if the two are already linked, 422
 * for an issue and itself.
 */
export async function linkIssues(app: App, user: User, issue: Issue, request: LinkRequest): Promise<WholeLink> {
  const access = await findProject(app.db, request.target_project_id, user)
  const other = await findIssue(app.db, access, request.target_issue_iid, user)
  assertManages(access)
  if (other.id === issue.id) throw new Failure('unprocessable', `#${issue.iid} cannot be added: cannot be related to itself`)
  const [source, target] = request.link_type === 'is_blocked_by' ? [other, issue] : [issue, other]
  const link_type = request.link_type === 'relates_to' ? 'relates_to' : 'blocks'
  const at = now()
  return inTransaction(app.db, async (tx) => {
    const row = { source_id: source.id, target_id: target.id, link_type, created_at: at, updated_at: at } as const
    const link = await insertLink(tx, row).catch((error) => {
      throw isUniqueViolation(error) ? new Failure('conflict', 'Issue(s) already assigned', { cause: error }) : error
    })
    await publish(tx, { type: 'issues_linked', source, target, link_type, actor_id: user.id, at })
    return { link, source, target }
  })
}

/** Throws 404 if it isn't a link of the issue, or the caller can't see the other one. */
export async function findLink(app: App, user: User, issue: Issue, id: number): Promise<WholeLink & { access: ProjectAccess }> {
  const link = await linkOf(app.db, issue.id, id)
  if (!link) throw notFound()
  const other = await issueById(app.db, link.source_id === issue.id ? link.target_id : link.source_id)
  if (!other) throw notFound()
  const access = await accessTo(app.db, other, user)
  const [source, target] = link.source_id === issue.id ? [issue, other] : [other, issue]
  return { link, source, target, access }
}

/** Throws 404 as `findLink` does, and 403 if the caller only manages one of the issues. */
export async function unlinkIssues(app: App, user: User, issue: Issue, id: number): Promise<WholeLink> {
  const { link, source, target, access } = await findLink(app, user, issue, id)
  assertManages(access)
  return inTransaction(app.db, async (tx) => {
    if (!(await deleteLink(tx, link.id))) throw notFound()
    await publish(tx, { type: 'issues_unlinked', source, target, link_type: link.link_type, actor_id: user.id, at: now() })
    return { link, source, target }
  })
}

async function accessTo(db: Db, { project_id, iid }: Issue, user: User): Promise<ProjectAccess> {
  const access = await findProject(db, String(project_id), user)
  await findIssue(db, access, iid, user)
  return access
}

function assertManages(access: ProjectAccess): void {
  if (!canManageIssue(access) || access.project.archived)
    throw forbidden("Couldn't link issue. You must have at least the Reporter role in both projects.")
}
