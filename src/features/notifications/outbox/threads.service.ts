/** Loads the subject of a message again, when it is sent late or replied to: its recipient may no longer see it by then. */
import { findProject } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import type { Note, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { noteById } from '../../discussion/notes/notes.ts'
import { columnsOf, findNoteable, kindOf, type Noteable } from '../../noteable-kinds.ts'
import type { Thread } from './reply-address.ts'

export interface SeenThread {
  noteable: Noteable
  /** The note that the message tells of, if it does. */
  note: Note | null
}

/** Null if it is gone, or the user can't see it. */
export async function threadSeenBy(db: Db, user: User, thread: Thread): Promise<SeenThread | null> {
  const note = thread.kind === 'note' ? await noteById(db, thread.id) : null
  if (thread.kind === 'note' && note === null) return null
  const row = await findNoteable(db, note ?? columnsOf({ kind: thread.kind as 'issue' | 'merge_request', id: thread.id }))
  const access = row && (await findProject(db, String(row.row.project_id), user).catch(nullIfMissing))
  if (!row || !access) return null
  const internal = note?.internal ?? false
  const readers = await kindOf(row).readers(db, access.project, row.row, [user.id], { internal })
  return readers.length === 0 ? null : { noteable: { ...row, ...access }, note }
}
