/** SQL for notes. */
import { type Insertable, type RawBuilder, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import { areOn, notesVisibleAt } from '../../../access/notes.ts'
import type { Viewer } from '../../../access/visible.ts'
import { type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { Instant, Note, NoteableRow, NoteTable, Tables } from '../../../db/tables.ts'
import { keyIn, keyOf, kindOf, type NamedNoteable, type Noteable } from '../../noteable-kinds.ts'

/** Which notes a list shows: all, those by users, or system notes. */
export type Activity = 'all_notes' | 'only_comments' | 'only_activity'

export interface NoteOrder {
  order_by: 'created_at' | 'updated_at'
  sort: 'asc' | 'desc'
  activity_filter: Activity
}

/** All notes of a noteable. */
export function notesOf(db: Db, noteable: NamedNoteable) {
  return db
    .selectFrom('notes')
    .selectAll()
    .where(areOn('notes', keyOf(noteable)))
}

export function areVisible(db: Db, noteable: Noteable, viewer: Viewer) {
  return notesVisibleAt(db, keyOf(noteable), noteable.level, viewer)
}

function ofActivity<O>(query: SelectQueryBuilder<Tables, 'notes', O>, activity: Activity) {
  return activity === 'all_notes' ? query : query.where('notes.system', '=', activity === 'only_activity')
}

/** Three statements. */
export async function listNotes(db: Db, noteable: Noteable, viewer: Viewer, { order_by, sort, activity_filter }: NoteOrder, page: PageOf) {
  const query = ofActivity(notesOf(db, noteable).where(await areVisible(db, noteable, viewer)), activity_filter)
  return paginate(query.orderBy(`notes.${order_by}`, sort).orderBy('notes.id', sort), page)
}

/** The ids of discussions, oldest first: three statements. */
export async function listDiscussions(db: Db, noteable: Noteable, viewer: Viewer, page: PageOf): Promise<{ ids: string[]; total: number }> {
  const query = notesOf(db, noteable)
    .where(await areVisible(db, noteable, viewer))
    .where('notes.opens_discussion', '=', true)
    .clearSelect()
    .select('notes.discussion_id')
  const { rows, total } = await paginate(query.orderBy('notes.created_at').orderBy('notes.id'), page)
  return { ids: rows.map(({ discussion_id }) => discussion_id), total }
}

/** The number of discussions before this one, in the order of `listDiscussions`: three statements. */
export async function countOpeningsBefore(db: Db, noteable: Noteable, viewer: Viewer, { created_at, id }: Note): Promise<number> {
  const found = await notesOf(db, noteable)
    .where(await areVisible(db, noteable, viewer))
    .where('notes.opens_discussion', '=', true)
    .where(({ eb, and, or }) =>
      or([eb('notes.created_at', '<', created_at), and([eb('notes.created_at', '=', created_at), eb('notes.id', '<', id)])]),
    )
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(found.count)
}

/** The first note of a discussion that the viewer can see, without reading the bodies of the others: three statements. */
export async function openingOfDiscussion(db: Db, noteable: Noteable, viewer: Viewer, discussionId: string): Promise<Note | null> {
  const first = notesOf(db, noteable)
    .where(await areVisible(db, noteable, viewer))
    .where('notes.discussion_id', '=', discussionId)
    .orderBy('notes.opens_discussion', 'desc')
    .orderBy('notes.created_at')
    .orderBy('notes.id')
    .limit(1)
    .clearSelect()
    .select('notes.id')
  return (await db.selectFrom('notes').selectAll().where('id', '=', first).executeTakeFirst()) ?? null
}

export async function visibleNote(db: Db, noteable: Noteable, viewer: Viewer, id: number): Promise<Note | null> {
  const isVisible = await areVisible(db, noteable, viewer)
  return (await notesOf(db, noteable).where(isVisible).where('notes.id', '=', id).executeTakeFirst()) ?? null
}

export async function noteById(db: Db, id: number): Promise<Note | null> {
  return (await db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export function notesByIds(db: Db, ids: number[]): Promise<Note[]> {
  return db.selectFrom('notes').selectAll().where('id', 'in', ids).execute()
}

/** Locked until the transaction ends; null if it was deleted meanwhile. */
export async function lockNote(tx: Tx, id: number): Promise<Note | null> {
  return (await lockedRows(tx, tx.selectFrom('notes').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

export function insertNote(tx: Tx, note: Insertable<NoteTable>): Promise<Note> {
  return tx.insertInto('notes').values(note).returningAll().executeTakeFirstOrThrow()
}

export async function insertNotes(tx: Tx, notes: Array<Insertable<NoteTable>>): Promise<Note[]> {
  return notes.length === 0 ? [] : tx.insertInto('notes').values(notes).returningAll().execute()
}

export function updateNote(tx: Tx, id: number, change: Updateable<NoteTable>): Promise<Note> {
  return tx.updateTable('notes').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteNote(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('notes').where('id', '=', id).execute()
}

/** If the first note of a discussion is deleted, the next one becomes the first. */
export async function passOnOpening(tx: Tx, note: Note): Promise<void> {
  const on = keyIn(note)
  if (!on) return
  const next = tx
    .selectFrom('notes as replies')
    .select('replies.id')
    .where(areOn('replies', on))
    .where('replies.discussion_id', '=', note.discussion_id)
    .orderBy('replies.created_at')
    .orderBy('replies.id')
    .limit(1)
  await tx
    .updateTable('notes')
    .set({ opens_discussion: true })
    .where((eb) => eb('notes.id', '=', next))
    .execute()
}

/**
 * Counts a note by a user on a noteable, and updates the noteable's time of change. Internal notes do neither, since everyone who sees the
 * noteable sees both. The noteable is locked until the transaction ends, so that notes on it are written one after another. Returns its
 * current row; null if it was deleted meanwhile.
 */
export function countNote<N extends NoteableRow>(
  tx: Tx,
  noteable: N,
  { internal, by, at }: { internal: boolean; by: 1 | -1; at: Instant | null },
): Promise<N | null> {
  const changed = internal ? {} : at === null ? {} : { updated_at: at }
  return changeRow(tx, noteable, { user_notes_count: sql`user_notes_count + ${internal ? 0 : by}`, ...changed })
}

/** Updates the time of change of a noteable, or only locks it (null). Returns it as `countNote` does. */
export function touchNoteable<N extends NoteableRow>(tx: Tx, noteable: N, updated_at: Instant | null): Promise<N | null> {
  return changeRow(tx, noteable, { updated_at: updated_at ?? sql`updated_at` })
}

type Change = { user_notes_count?: RawBuilder<number>; updated_at?: Instant | RawBuilder<Instant> }

/** No statement for a commit, which has no row. */
async function changeRow<N extends NoteableRow>(tx: Tx, noteable: N, change: Change): Promise<N | null> {
  const { table } = kindOf(noteable)
  const { id } = noteable.row
  if (table === null || id === null) return noteable
  const row = await tx.updateTable(table).set(change).where('id', '=', id).returningAll().executeTakeFirst()
  return row ? { ...noteable, row: { ...noteable.row, ...row } } : null
}

/** The projects of issues, for references to them. */
export async function referredIssues(db: Db, ids: number[]) {
  const found = await db
    .selectFrom('issues')
    .innerJoin('routes', 'routes.project_id', 'issues.project_id')
    .select(['issues.id', 'issues.iid', 'issues.project_id', 'routes.path as project_path'])
    .where('issues.id', 'in', ids)
    .execute()
  return new Map(found.map((place) => [place.id, place]))
}

/** Whether there is a note about the push that created this version. */
export async function hasNoteOfPush(db: Db, mergeRequestId: number, versionId: number): Promise<boolean> {
  const found = db
    .selectFrom('notes')
    .select('id')
    .where('merge_request_id', '=', mergeRequestId)
    .where('system_action', '=', 'commit')
    .where('body', 'like', `%diff_id=${versionId}&%`)
  return (await found.executeTakeFirst()) !== undefined
}

/** The beginning of the position of a comment on a commit that was created without reading git. */
const unplaced = '{"base_sha":null,%'

export interface UnplacedNote extends Pick<Note, 'id' | 'project_id' | 'discussion_id'> {
  commit_oid: string
  position: string
}

/** The next notes on lines of commits whose position has not been determined: of a project, or of all. */
export function unplacedNotes(db: Db, project_id: number | null, after: number, limit: number): Promise<UnplacedNote[]> {
  return db
    .selectFrom('notes')
    .select(['id', 'project_id', 'discussion_id'])
    .select((eb) => [eb.ref('commit_oid').$notNull().as('commit_oid'), eb.ref('position').$notNull().as('position')])
    .where('commit_oid', 'is not', null)
    .where('merge_request_id', 'is', null)
    .where('opens_discussion', '=', true)
    .where('position', 'like', unplaced)
    .$if(project_id !== null, (query) => query.where('project_id', '=', project_id as number))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Sets the position of the notes of a discussion; without one they are on the commit as a whole. */
export async function placeDiscussion(
  db: Db,
  { project_id, discussion_id }: Pick<Note, 'project_id' | 'discussion_id'>,
  place: Pick<Note, 'position' | 'original_position' | 'line_code'> | null,
): Promise<void> {
  const { position, original_position, line_code } = place ?? { position: null, original_position: null, line_code: null }
  await db
    .updateTable('notes')
    .set({ position, original_position, line_code, type: place ? 'DiffNote' : 'DiscussionNote' })
    .where('project_id', '=', project_id)
    .where('discussion_id', '=', discussion_id)
    .execute()
}

export async function pathOfProject(db: Db, projectId: number): Promise<string | null> {
  return (await db.selectFrom('routes').select('path').where('project_id', '=', projectId).executeTakeFirst())?.path ?? null
}
