/** SQL for the participants of a noteable. */
import type { ExpressionBuilder } from 'kysely'
import { areOn, seesInternalNotes } from '../../../access/notes.ts'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableKey, NoteableRow, Tables } from '../../../db/tables.ts'
import { isIssuable, keyOf, kindOf, type Noteable } from '../../noteable-kinds.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import { issuableTables } from '../../planning/issuables/issuables.ts'

/** Which notes count. */
export interface Reach {
  /** Whether to include authors of internal notes. */
  internal: boolean
}

/** All participants by id: author, assignees, reviewers, authors of notes, and mentioned users. */
export async function participantsOf(db: Db, { kind, id }: NoteableKey<IssuableName>, { internal }: Reach): Promise<UserInBrief[]> {
  const { table, people, mentions: mentionTable } = issuableTables[kind]
  const column = `${kind}_id` as const
  const mentions = db.selectFrom(mentionTable).select('user_id').where(column, '=', id)
  const notes = db.selectFrom('notes').select('author_id as user_id').where(column, '=', id).where(isWrittenHere)
  let ids = db
    .selectFrom(table)
    .select('author_id as user_id')
    .where('id', '=', id)
    .union(internal ? mentions : mentions.where('internal', '=', false))
    .union(internal ? notes : notes.where('internal', '=', false))
  for (const peopleTable of people) ids = ids.union(db.selectFrom(peopleTable).select('user_id').where(column, '=', id))
  return briefly(db).where('id', 'in', ids).orderBy('id').execute()
}

function briefly(db: Db) {
  return db.selectFrom('users').select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
}

/** Authors of notes by id: the author and committer of a commit are only known by email address. */
async function writersOn(db: Db, noteable: NoteableRow, { internal }: Reach): Promise<UserInBrief[]> {
  const notes = db
    .selectFrom('notes')
    .select('author_id')
    .where(areOn('notes', keyOf(noteable)))
    .where(isWrittenHere)
  const ids = internal ? notes : notes.where('internal', '=', false)
  return briefly(db).where('id', 'in', ids).orderBy('id').execute()
}

/** The participants, as far as they are known for the kind. */
export function participantsOn(db: Db, noteable: NoteableRow, reach: Reach): Promise<UserInBrief[]> {
  return isIssuable(noteable) ? participantsOf(db, keyOf(noteable), reach) : writersOn(db, noteable, reach)
}

/** The participants who can currently see it, for a reader with this level. At most four statements. */
export async function visibleParticipants(db: Db, noteable: Noteable): Promise<UserInBrief[]> {
  const reach = { internal: seesInternalNotes(noteable) }
  const found = await participantsOn(db, noteable, reach)
  const ids = found.map(({ id }) => id)
  const readers = new Set(await kindOf(noteable).readers(db, noteable.project, noteable.row, ids))
  return found.filter(({ id }) => readers.has(id))
}

/** A mention elsewhere is not an action of its author here, and not every reader can see it. */
function isWrittenHere(eb: ExpressionBuilder<Tables, 'notes'>) {
  return eb.and([
    eb('notes.about_issue_id', 'is', null),
    eb('notes.about_merge_request_id', 'is', null),
    eb('notes.about_snippet_id', 'is', null),
    eb('notes.about_project_id', 'is', null),
    eb.or([eb('notes.system_action', 'is', null), eb('notes.system_action', '!=', 'cross_reference')]),
  ])
}
