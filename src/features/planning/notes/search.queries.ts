/** SQL for the search in notes. */

import { seesInternalNotes } from '../../../access/notes.ts'
import { issuesVisibleTo, mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { Note } from '../../../db/tables.ts'

/** The notes of people in a project that the viewer, with this level there, can see, and that have all words; the last changed first. */
export function searchNotes(
  db: Db,
  viewer: Viewer,
  { project_id, level }: { project_id: number; level: number },
  words: string[],
  page: PageOf,
): Promise<{ rows: Note[]; total: number }> {
  const issues = db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select('issues.id')
    .where('issues.project_id', '=', project_id)
    .where(issuesVisibleTo(viewer))
  const mergeRequests = db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select('merge_requests.id')
    .where('merge_requests.project_id', '=', project_id)
    .where((eb) => mergeRequestsVisibleTo(viewer)(eb as never))
  let found = db
    .selectFrom('notes')
    .selectAll()
    .where('notes.project_id', '=', project_id)
    .where('notes.system', '=', false)
    .where((eb) => eb.and(words.map((word) => contains('notes.body', word))))
    .where((eb) => eb.or([eb('notes.issue_id', 'in', issues), eb('notes.merge_request_id', 'in', mergeRequests)]))
  if (!seesInternalNotes({ level })) found = found.where('notes.internal', '=', false)
  return paginate(found.orderBy('notes.updated_at', 'desc').orderBy('notes.id', 'desc'), page)
}
