/** Rules of issues: valid values, and which events are published. */

import type { ProjectAccess } from '../../../access/find.ts'
import { canSeeIssue } from '../../../access/issues.ts'
import type { Viewer } from '../../../access/visible.ts'
import { type Db, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Issue } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { ClosedBy } from '../../../domain-events/issue-events.ts'
import { invalid, notFound } from '../../../failure.ts'
import { nextNumber, noteNumber } from '../../spaces/numbering/numbering.ts'
import {
  type Actor,
  addCommon,
  assertTexts,
  type CommonChange,
  changedFields,
  commonDifferences,
  editedBy,
  hasDifferences,
  issueTables,
  peopleIds,
  writeDifferences,
} from '../issuables/issuables.ts'
import { deleteIssue, insertIssue, issueByIid, lockIssue, updateIssue } from './issues.queries.ts'

/** The columns that can be set; whoever parses a request must check the ids. */
export interface IssueFields {
  title: string
  description: string | null
  confidential: boolean
  discussion_locked: boolean | null
  milestone_id: number | null
  due_date: string | null
  time_estimate: number
  relative_position: number | null
  duplicated_to_id: number | null
}

type SomeFields = { [F in keyof IssueFields]?: IssueFields[F] | undefined }

export interface NewIssue extends SomeFields {
  title: string
  assignee_ids?: number[] | undefined
  label_ids?: number[] | undefined
  created_at?: Instant | undefined
  /** The next number by default; only some callers may choose it. */
  iid?: number | undefined
  /** The author of a moved issue, if that isn't the creator. */
  author_id?: number | undefined
  /** The issue of another project that is moved here. */
  copy_of?: Issue | undefined
}

/** Fields that aren't given are kept. */
export interface IssueChange extends SomeFields, CommonChange {
  /** The cause, if `state` closes the issue and it isn't closed by hand. */
  by?: ClosedBy | undefined
}

/** Throws 404 if the caller can't see it, whether or not it exists. */
export async function findIssue(db: Db, access: ProjectAccess, iid: number, viewer: Viewer): Promise<Issue> {
  const issue = await issueByIid(db, access.project.id, iid, viewer)
  if (!issue) throw notFound('Issue')
  const assignees = issue.confidential && viewer ? await peopleIds(db, issueTables.assignees, issue.id) : []
  if (!canSeeIssue(access, issue, assignees, viewer)) throw notFound('Issue')
  return issue
}

/** Creates an issue, with everything that follows from it. Throws 400 for an invalid field. */
export async function createIssueIn(tx: Tx, actor: Actor, request: NewIssue): Promise<Issue> {
  const { user, project } = actor
  const at = now()
  const { assignee_ids = [], label_ids = [], iid, author_id = user.id, created_at = at, copy_of = null, ...fields } = request
  assertTexts(fields)
  if (iid !== undefined) await noteNumber(tx, { project_id: project.id }, 'issue', iid)
  const row = {
    iid: iid ?? (await nextNumber(tx, { project_id: project.id }, 'issue')),
    project_id: project.id,
    author_id,
    title: fields.title.trim(),
    description: fields.description ?? null,
    confidential: fields.confidential ?? false,
    discussion_locked: fields.discussion_locked ?? null,
    milestone_id: fields.milestone_id ?? null,
    due_date: fields.due_date ?? null,
    time_estimate: fields.time_estimate ?? 0,
    created_at,
    updated_at: created_at,
  }
  const issue = await insertIssue(tx, row).catch((error) => {
    throw isUniqueViolation(error, 'iid') ? invalid({ iid: ['has already been taken'] }, error) : error
  })
  await addCommon(tx, 'issue', issue.id, { assignee_ids, label_ids })
  await publish(tx, { type: 'issue_created', issue, actor_id: user.id, actor, at, assignee_ids, label_ids, copy_of })
  return issue
}

/**
 * Changes the given fields, with everything that follows from it; unchanged values have no consequences. Throws 400, and 404 if it was
 * deleted.
 */
export async function changeIssueIn(tx: Tx, actor: Actor, id: number, change: IssueChange, at: Instant = now()): Promise<Issue> {
  const before = await lockIssue(tx, id)
  if (!before) throw notFound('Issue')
  const { assignee_ids: _, label_ids: __, time: ___, state, by = null, ...sent } = change
  assertTexts(sent)
  const fields = changedFields<IssueFields>(before, sent)
  const differences = await commonDifferences(tx, actor, { kind: 'issue', row: before }, change, at)
  let issue = before
  if (Object.keys(fields).length > 0 || hasDifferences(differences)) {
    await writeDifferences(tx, 'issue', id, differences)
    const { total_time_spent, ...told } = differences
    issue = await updateIssue(tx, id, { ...fields, ...editedBy(actor, fields, at), total_time_spent, updated_at: at })
    await publish(tx, { type: 'issue_changed', before, issue, actor_id: actor.user.id, at, ...told })
  }
  if (state === 'closed') return closeIssueIn(tx, actor.user.id, issue, by, at)
  if (state === 'opened') return reopenIssueIn(tx, actor.user.id, issue, at)
  return issue
}

/** Closes an open issue. */
export async function closeIssueIn(tx: Tx, actor_id: number, issue: Issue, by: ClosedBy | null, at: Instant = now()): Promise<Issue> {
  if (issue.state === 'closed') return issue
  const closed = await updateIssue(tx, issue.id, { state: 'closed', closed_at: at, closed_by_id: actor_id, updated_at: at })
  await publish(tx, { type: 'issue_closed', issue: closed, actor_id, at, by })
  return closed
}

/** Reopens a closed issue. */
export async function reopenIssueIn(tx: Tx, actor_id: number, issue: Issue, at: Instant = now()): Promise<Issue> {
  if (issue.state === 'opened') return issue
  const reopened = await updateIssue(tx, issue.id, {
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    duplicated_to_id: null,
    updated_at: at,
  })
  await publish(tx, { type: 'issue_reopened', issue: reopened, actor_id, at })
  return reopened
}

/** Deletes an issue with everything that belongs to it. */
export async function removeIssueIn(tx: Tx, actor_id: number, id: number): Promise<void> {
  const issue = await lockIssue(tx, id)
  if (!issue) throw notFound('Issue')
  await publish(tx, { type: 'issue_removed', issue, actor_id, at: now() })
  await deleteIssue(tx, id)
}
