/** SQL for the search in notes. */

import { type ExpressionBuilder, sql } from 'kysely'
import { seesInternalNotes } from '../../../access/notes.ts'
import { codeVisibleTo, issuesVisibleTo, mergeRequestsVisibleTo, snippetsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type Found, type PageOf } from '../../../db/database.ts'
import { pageById, totalOf } from '../../../db/list-cache.ts'
import { inTextIndex } from '../../../db/search.ts'
import type { Note, Tables } from '../../../db/tables.ts'
import { notesByIds } from './notes.queries.ts'

interface Place {
  project_id: number
  /** Of the viewer there. */
  level: number
}

/** The notes of people in a project that the viewer can see, and that have all words; the last changed first. Three statements. */
export async function searchNotes(db: Db, viewer: Viewer, place: Place, words: string[], page: PageOf): Promise<Found<Note>> {
  const found = matching(db, viewer, place, words)
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = found.orderBy('notes.updated_at', 'desc').orderBy('notes.id', 'desc')
  return { rows: await pageById(db, ids, page, notesByIds), total }
}

function matching(db: Db, viewer: Viewer, { project_id, level }: Place, words: string[]) {
  const found = db
    .selectFrom('notes')
    .select('notes.id')
    .where('notes.project_id', '=', project_id)
    // As the index has it on PostgreSQL.
    .where(sql<boolean>`not notes.system`)
    .where((eb) => inTextIndex(db, 'notes', words, ['body'], [project_id]) ?? eb.and(words.map((word) => contains('notes.body', word))))
    .where(isOnVisible(db, viewer, project_id))
  return seesInternalNotes({ level }) ? found : found.where('notes.internal', '=', false)
}

/** On an issue, a merge request, a snippet or a commit of the project that the viewer can see. */
function isOnVisible(db: Db, viewer: Viewer, project_id: number) {
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
  return (eb: ExpressionBuilder<Tables, 'notes'>) => {
    const isOnCommit = eb.and([eb('notes.commit_oid', 'is not', null), eb('notes.merge_request_id', 'is', null)])
    return eb.or([
      eb('notes.issue_id', 'in', issues),
      eb('notes.merge_request_id', 'in', mergeRequests),
      eb('notes.snippet_id', 'in', snippets),
      eb.and([isOnCommit, eb('notes.project_id', 'in', readable)]),
    ])
  }
}
