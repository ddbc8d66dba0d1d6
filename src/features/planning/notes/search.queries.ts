/** SQL for the search in notes. */

import { seesInternalNotes } from '../../../access/notes.ts'
import { codeVisibleTo, issuesVisibleTo, mergeRequestsVisibleTo, snippetsVisibleTo, type Viewer } from '../../../access/visible.ts'
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
  const readable = db.selectFrom('projects').select('projects.id').where('projects.id', '=', project_id).where(codeVisibleTo(viewer))
  const snippets = db
    .selectFrom('snippets')
    .innerJoin('projects', 'projects.id', 'snippets.project_id')
    .select('snippets.id')
    .where('snippets.project_id', '=', project_id)
    .where((eb) => snippetsVisibleTo(viewer)(eb as never))
  let found = db
    .selectFrom('notes')
    .selectAll()
    .where('notes.project_id', '=', project_id)
    .where('notes.system', '=', false)
    .where((eb) => eb.and(words.map((word) => contains('notes.body', word))))
    .where((eb) => {
      const isOnCommit = eb.and([eb('notes.commit_oid', 'is not', null), eb('notes.merge_request_id', 'is', null)])
      return eb.or([
        eb('notes.issue_id', 'in', issues),
        eb('notes.merge_request_id', 'in', mergeRequests),
        eb('notes.snippet_id', 'in', snippets),
        eb.and([isOnCommit, eb('notes.project_id', 'in', readable)]),
      ])
    })
  if (!seesInternalNotes({ level })) found = found.where('notes.internal', '=', false)
  return paginate(found.orderBy('notes.updated_at', 'desc').orderBy('notes.id', 'desc'), page)
}
