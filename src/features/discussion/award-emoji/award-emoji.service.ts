/** Rules of award emoji: on noteables, personal snippets and comments of users, each emoji once per user. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { AwardEmoji, Note, NoteableRow, Snippet, SnippetComment, StoredName, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { notFound } from '../../../failure.ts'
import { emojiName } from '../../instance/emoji-names.ts'
import { keyIn, keyOf } from '../../noteable-kinds.ts'
import { type Award, type AwardedTo, awardById, countVote, deleteAward, insertAward, lockAward } from './award-emoji.queries.ts'

/** A noteable or a note on it, a personal snippet or a comment on it, as rows: the second is null for emoji on the first itself. */
export type Awardable =
  | { noteable: NoteableRow<StoredName>; note: null }
  | { noteable: NoteableRow; note: Note }
  | { snippet: Pick<Snippet, 'id'>; comment: Pick<SnippetComment, 'id'> | null }

export function keyOfAwardable(awardable: Awardable): AwardedTo {
  if ('snippet' in awardable) {
    const { snippet, comment } = awardable
    return comment ? { kind: 'snippet_comment', id: comment.id } : { kind: 'snippet', id: snippet.id }
  }
  return awardable.note ? { kind: 'note', id: awardable.note.id } : keyOf(awardable.noteable)
}

/** Throws 404 if it has no such award. */
export async function findAward(db: Db, awardable: Awardable, id: number): Promise<Award> {
  const award = await awardById(db, keyOfAwardable(awardable), id)
  if (!award) throw notFound('Award Emoji')
  return award
}

/** Awards an emoji. Throws 404 for one that doesn't exist or that the user has already awarded, and on system notes. */
export function award(app: App, user: User, awardable: Awardable, name: string): Promise<Award> {
  return inTransaction(app.db, async (tx) => ({ ...(await awardIn(tx, user, awardable, name)), user }))
}

export async function awardIn(tx: Tx, user: User, awardable: Awardable, sent: string): Promise<AwardEmoji> {
  const name = emojiName(sent)
  if (name === null) throw notFound('Award Emoji Name is not included in the list')
  if (isBySystem(awardable)) throw notFound('Award Emoji')
  const created = await insertAwardIn(tx, user, awardable, name)
  if (!created) throw notFound('Award Emoji Name has already been taken')
  return created
}

async function insertAwardIn(tx: Tx, user: User, awardable: Awardable, name: string): Promise<AwardEmoji | null> {
  const at = now()
  const to = keyOfAwardable(awardable)
  const row = { [`${to.kind}_id` as const]: to.id, user_id: user.id, name, created_at: at, updated_at: at }
  const created = await insertAward(tx, row)
  if (!created) return null
  const on = keyIn(created)
  if (on) await countVote(tx, on, name, 1)
  const noteable = 'noteable' in awardable ? awardable.noteable : null
  await publish(tx, { type: 'emoji_awarded', award: created, noteable, at })
  return created
}

function isBySystem(awardable: Awardable): boolean {
  return 'note' in awardable && awardable.note !== null && awardable.note.system
}

/** Awards an emoji, or removes it if the user has already awarded it. Null for an emoji that doesn't exist, and after a removal. */
export async function toggleAwardIn(tx: Tx, user: User, awardable: Awardable, sent: string): Promise<AwardEmoji | null> {
  const name = emojiName(sent)
  if (name === null || isBySystem(awardable)) return null
  const given = await lockAward(tx, keyOfAwardable(awardable), user.id, name)
  if (!given) return insertAwardIn(tx, user, awardable, name)
  await removeAwardIn(tx, given)
  return null
}

/** As `toggleAwardIn`, in its own transaction. */
export function toggleAward(app: App, user: User, awardable: Awardable, sent: string): Promise<AwardEmoji | null> {
  return inTransaction(app.db, (tx) => toggleAwardIn(tx, user, awardable, sent))
}

/** Throws 404 if it was removed meanwhile. */
export async function removeAwardIn(tx: Tx, given: AwardEmoji): Promise<void> {
  if (!(await deleteAward(tx, given.id))) throw notFound('Award Emoji')
  const on = keyIn(given)
  if (on) await countVote(tx, on, given.name, -1)
  await publish(tx, { type: 'emoji_removed', award: given, at: now() })
}

export function removeAward(app: App, given: Award): Promise<void> {
  const { user: _, ...row } = given
  return inTransaction(app.db, (tx) => removeAwardIn(tx, row))
}
