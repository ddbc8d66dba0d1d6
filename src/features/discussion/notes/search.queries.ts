/** SQL for the search in notes. */
import { sql } from 'kysely'
import type { ProjectAccess } from '../../../access/find.ts'
import { seesInternalNotes } from '../../../access/notes.ts'
import { isNotByBanned, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type Found, type PageOf } from '../../../db/database.ts'
import { pageById, totalOf } from '../../../db/list-cache.ts'
import { inTextIndex } from '../../../db/search.ts'
import type { Note } from '../../../db/tables.ts'
import { noteableKinds } from '../../noteable-kinds.ts'
import { notesByIds } from './notes.queries.ts'

/** Notes by users in a project that the viewer can see and that contain all words; the last changed first. Three statements. */
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
    .where(isNotByBanned('notes.author_id', viewer))
    // As the index has it on PostgreSQL.
    .where(sql<boolean>`not notes.system`)
    .where((eb) => inTextIndex(db, 'notes', words, ['body'], [id]) ?? eb.and(words.map((word) => contains('notes.body', word))))
    .where((eb) => eb.or(noteableKinds.flatMap((kind) => kind.notesVisible(eb, viewer, access) ?? [])))
  return seesInternalNotes(access) ? found : found.where('notes.internal', '=', false)
}
