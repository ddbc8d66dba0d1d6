/**
 * Issues closed by the texts of a merge request are recorded with the texts; those closed by its commits are determined by a job, which
 * reads git.
 */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { Tx } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { closingReferences } from '../../discussion/references/references.ts'
import { addClosedIssues, closedIssues } from '../merging/merging.ts'
import { ifClosingOthers } from './closes.jobs.ts'
import { removeClosedIssues } from './merge-requests.queries.ts'

export async function closeByTexts(tx: Tx, { merge_request }: EventOf<'merge_request_created'>, { url }: Site): Promise<void> {
  await addClosedIssues(tx, merge_request.id, await closedByTexts(tx, merge_request, url))
}

export async function closeByNewTexts(tx: Tx, event: EventOf<'merge_request_changed'>, { url }: Site): Promise<void> {
  const { before, merge_request } = event
  if (ifClosingOthers(event) === null || merge_request.state === 'merged') return
  const closed = await closedByTexts(tx, merge_request, url)
  const dropped = (await closedByTexts(tx, before, url)).filter((id) => !closed.includes(id))
  await removeClosedIssues(tx, merge_request.id, dropped)
  await addClosedIssues(tx, merge_request.id, closed)
}

/** Costs nothing if the texts name no issue to close. */
async function closedByTexts(tx: Tx, merge_request: MergeRequest, site: string): Promise<number[]> {
  const { title, description, author_id, project_id, target_branch } = merge_request
  if (![title, description ?? ''].some((text) => closingReferences(text, site).length > 0)) return []
  const author = await userById(tx, author_id)
  const { project } = await findProject(tx, String(project_id), everything)
  if (!author || target_branch !== project.default_branch) return []
  return (await closedIssues(tx, author, project, merge_request, [], site)).map(({ id }) => id)
}
