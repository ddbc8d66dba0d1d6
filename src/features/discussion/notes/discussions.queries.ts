/** SQL for whole discussions, which may have so many and such long notes that they are limited by bytes before they are read. */
import { sql } from 'kysely'
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { noteColumnsBesidesBody } from '../../../db/tables/notes.ts'
import type { Note } from '../../../db/tables.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import { areVisible, notesOf } from './notes.queries.ts'

/** Bytes read per discussion, and the first note in any case: the size of the largest row of a list. */
const maxDiscussion_bytes = 8 * 1024 * 1024
/** Estimated size of a note without its body. */
const note_bytes = 1024

/** The visible notes of these discussions: their sizes and positions. */
async function sizedNotes(db: Db, noteable: Noteable, viewer: Viewer, discussionIds: readonly string[]) {
  return notesOf(db, noteable)
    .where(await areVisible(db, noteable, viewer))
    .where('notes.discussion_id', 'in', discussionIds)
    .clearSelect()
    .select(['notes.id', 'notes.discussion_id', 'notes.created_at'])
    .select([
      sql<number>`octet_length(notes.body)`.as('bytes'),
      sql<number>`row_number() over (partition by notes.discussion_id
        order by notes.opens_discussion desc, notes.created_at, notes.id)`.as('place'),
      sql<number>`count(*) over (partition by notes.discussion_id)`.as('thread_size'),
    ])
}

/** The notes of these discussions in order, the first of each before its replies; as many of each as fit into its limit. */
export async function notesOfDiscussions(db: Db, noteable: Noteable, viewer: Viewer, discussionIds: string[]): Promise<Note[]> {
  if (discussionIds.length === 0) return []
  const summed = db
    .selectFrom((await sizedNotes(db, noteable, viewer, discussionIds)).as('sized'))
    .select(['sized.id', 'sized.place'])
    .select(sql<number>`sum(sized.bytes + ${sql.lit(note_bytes)}) over (partition by sized.discussion_id order by sized.place)`.as('upto'))
  const fitting = db
    .selectFrom(summed.as('summed'))
    .select('summed.id')
    .where((eb) => eb.or([eb('summed.place', '=', 1), eb('summed.upto', '<=', maxDiscussion_bytes)]))
  return db
    .selectFrom('notes')
    .selectAll()
    .where('notes.id', 'in', fitting)
    .orderBy('notes.opens_discussion', 'desc')
    .orderBy('notes.created_at')
    .orderBy('notes.id')
    .execute()
}

/** Notes in the form for a page. */
export interface Excerpts {
  notes: Note[]
  /** Ids of notes whose body was only read in part. */
  cut: ReadonlySet<number>
  /** The number of omitted replies, keyed by discussion. */
  left: ReadonlyMap<string, number>
}

export interface ExcerptLimits {
  /** Limit of all discussions together: first the opening notes, then the first replies, and so on. */
  together: number
  /** Limit per note. */
  of_note: number
  /** Limit for an opening note that doesn't fit; replies that don't fit are omitted. */
  of_others: number
}

/** The notes of these discussions in order, limited in characters per note and in total. */
export async function excerptsOfDiscussions(
  db: Db,
  noteable: Noteable,
  viewer: Viewer,
  discussionIds: readonly string[],
  { together, of_note, of_others }: ExcerptLimits,
): Promise<Excerpts> {
  if (discussionIds.length === 0) return { notes: [], cut: new Set(), left: new Map() }
  const taken = sql`case when sized.bytes > ${sql.lit(of_note)} then ${sql.lit(of_note)} else sized.bytes end`
  const summed = db
    .selectFrom((await sizedNotes(db, noteable, viewer, discussionIds)).as('sized'))
    .select(['sized.id', 'sized.bytes', 'sized.place', 'sized.thread_size'])
    .select(sql<number>`sum(${taken} + ${sql.lit(note_bytes)}) over (order by sized.place, sized.created_at, sized.id)`.as('upto'))
  const read_chars = sql`case when summed.upto <= ${sql.lit(together)} then ${sql.lit(of_note)} else ${sql.lit(of_others)} end`
  const rows = await db
    .selectFrom('notes')
    .innerJoin(summed.as('summed'), 'summed.id', 'notes.id')
    .select(noteColumnsBesidesBody)
    .select(sql<string>`substr(notes.body, 1, ${read_chars})`.as('body'))
    .select(['summed.bytes', 'summed.thread_size'])
    .where((eb) => eb.or([eb('summed.place', '=', 1), eb('summed.upto', '<=', together)]))
    .orderBy('notes.opens_discussion', 'desc')
    .orderBy('notes.created_at')
    .orderBy('notes.id')
    .execute()
  const left = new Map<string, number>()
  const cut = new Set<number>()
  const notes = rows.map(({ bytes, thread_size, ...note }) => {
    if (Buffer.byteLength(note.body) < bytes) cut.add(note.id)
    left.set(note.discussion_id, (left.get(note.discussion_id) ?? Number(thread_size)) - 1)
    return note
  })
  return { notes, cut, left }
}
