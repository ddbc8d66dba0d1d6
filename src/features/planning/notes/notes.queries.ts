/** SQL for notes. */
import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import type { Note, NoteTable } from '../../../db/tables.ts'

export function insertNote(tx: Tx, note: Insertable<NoteTable>): Promise<Note> {
  return tx.insertInto('notes').values(note).returningAll().executeTakeFirstOrThrow()
}

export async function noteById(db: Db, id: number): Promise<Note | null> {
  return (await db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}
