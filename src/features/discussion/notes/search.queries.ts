/** SQL for the search in notes. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { mayUse } from '../../../access/features.ts'
import { canDownload, type ProjectAccess } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { seesInternalNotes } from '../../../access/notes.ts'
import { may } from '../../../access/permissions.ts'
import { isSeenAlone, snippetsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type Found, type PageOf } from '../../../db/database.ts'
import { pageById, totalOf } from '../../../db/list-cache.ts'
import { inTextIndex } from '../../../db/search.ts'
import type { Note, Tables } from '../../../db/tables.ts'
import { notesByIds } from './notes.queries.ts'

/** The notes of people in a project that the viewer can see, and that have all words; the last changed first. Three statements. */
export async function searchNotes(db: Db, viewer: Viewer, access: ProjectAccess, words: string[], page: PageOf): Promise<Found<Note>> {
  const found = matching(db, viewer, access, words)
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = found.orderBy('notes.updated_at', 'desc').orderBy('notes.id', 'desc')
  return { rows: await pageById(db, ids, page, notesByIds), total }
}

function matching(db: Db, viewer: Viewer, access: ProjectAccess, words: string[]) {
  const { id } = access.project
  const found = db
    .selectFrom('notes')
    .select('notes.id')
    .where('notes.project_id', '=', id)
    // As the index has it on PostgreSQL.
    .where(sql<boolean>`not notes.system`)
    .where((eb) => inTextIndex(db, 'notes', words, ['body'], [id]) ?? eb.and(words.map((word) => contains('notes.body', word))))
    .where((eb) => eb.or(conditionsOf(eb, viewer, access)))
  return seesInternalNotes(access) ? found : found.where('notes.internal', '=', false)
}

/**
 * On an issue, a merge request, a snippet or a commit that the viewer can see. What their level in the project says of all of a kind
 * is asked of no row.
 */
function conditionsOf(eb: ExpressionBuilder<Tables, 'notes'>, viewer: Viewer, access: ProjectAccess): Array<Expression<SqlBool>> {
  const { project, level } = access
  const issues = eb.selectFrom('issues').select('issues.id').where('issues.project_id', '=', project.id).where(isSeenAlone(viewer))
  const snippets = eb
    .selectFrom('snippets')
    .innerJoin('projects', 'projects.id', 'snippets.project_id')
    .select('snippets.id')
    .where('snippets.project_id', '=', project.id)
    .where((of) => snippetsVisibleTo(viewer)(of as never))
  const isOnCommit = eb.and([eb('notes.commit_oid', 'is not', null), eb('notes.merge_request_id', 'is', null)])
  return [
    ...(mayUse('issues', access)
      ? [may('read_confidential_issues', level) ? eb('notes.issue_id', 'is not', null) : eb('notes.issue_id', 'in', issues)]
      : []),
    ...(canSeeMergeRequests(access, viewer) ? [eb('notes.merge_request_id', 'is not', null)] : []),
    ...(canDownload(access, viewer) ? [isOnCommit] : []),
    eb('notes.snippet_id', 'in', snippets),
  ]
}
