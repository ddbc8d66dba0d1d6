/** SQL for the merge requests of issues: those that close one, and those that mention one. */
import { isNotByBanned, mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type Found, type PageOf, paginate } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'

function visible(db: Db, viewer: Viewer) {
  return db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .selectAll('merge_requests')
    .where(mergeRequestsVisibleTo(viewer))
    .where(isNotByBanned('merge_requests.author_id', viewer))
}

/** Merge requests that will close the issue, oldest first: two statements. */
export function listClosing(db: Db, viewer: Viewer, issueId: number, page: PageOf): Promise<Found<MergeRequest>> {
  const closing = db.selectFrom('merge_request_closes').select('merge_request_id').where('issue_id', '=', issueId)
  return paginate(visible(db, viewer).where('merge_requests.id', 'in', closing).orderBy('merge_requests.id'), page)
}

/** Merge requests that mention it in their texts or notes, and those that close it, oldest first: two statements. */
export function listMentioning(db: Db, viewer: Viewer, issueId: number, page: PageOf): Promise<Found<MergeRequest>> {
  const mentioning = db
    .selectFrom('notes')
    .select((eb) => eb.ref('notes.about_merge_request_id').$notNull().as('id'))
    .where('notes.issue_id', '=', issueId)
    .where('notes.about_merge_request_id', 'is not', null)
    .union(db.selectFrom('merge_request_closes').select('merge_request_id as id').where('issue_id', '=', issueId))
  return paginate(visible(db, viewer).where('merge_requests.id', 'in', mentioning).orderBy('merge_requests.id'), page)
}
