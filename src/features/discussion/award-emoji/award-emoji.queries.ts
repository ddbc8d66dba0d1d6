/** SQL for award emoji. */
import { type Insertable, sql } from 'kysely'
import { type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { AwardEmoji, AwardEmojiTable, NoteableKey, StoredName } from '../../../db/tables.ts'
import { kindOf } from '../../noteable-kinds.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** Emoji can be on a noteable, on a note, or on a comment on a personal snippet. */
export type AwardedTo = NoteableKey<StoredName> | { kind: Comment; id: number }

type Comment = 'note' | 'snippet_comment'

/** An award with who gave it. */
export type Award = AwardEmoji & { user: UserInBrief }

function awardsWithUsers(db: Db) {
  return db
    .selectFrom('award_emoji')
    .innerJoin('users', 'users.id', 'award_emoji.user_id')
    .selectAll('award_emoji')
    .select(['users.name as user_name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
}

function awardsTo(db: Db, to: AwardedTo) {
  return awardsWithUsers(db).where(`award_emoji.${to.kind}_id`, '=', to.id)
}

type Row = AwardEmoji & { user_name: string } & Pick<UserInBrief, 'username' | 'state' | 'kind' | 'avatar_name'>

function awardOf({ user_name, username, state, kind, avatar_name, ...award }: Row): Award {
  return { ...award, user: { id: award.user_id, name: user_name, username, state, kind, avatar_name } }
}

/** Oldest first: two statements. */
export async function listAwards(db: Db, to: AwardedTo, page: PageOf): Promise<{ rows: Award[]; total: number }> {
  const { rows, total } = await paginate(awardsTo(db, to).orderBy('award_emoji.id'), page)
  return { rows: rows.map(awardOf), total }
}

/** All awards to these notes, the oldest first. */
export function awardsToNotes(db: Db, noteIds: number[]): Promise<Award[]> {
  return awardsToComments(db, 'note', noteIds)
}

/** As `awardsToNotes`, also for comments on personal snippets. */
export async function awardsToComments(db: Db, kind: Comment, ids: number[]): Promise<Award[]> {
  if (ids.length === 0) return []
  const rows = await awardsWithUsers(db).where(`award_emoji.${kind}_id`, 'in', ids).orderBy('award_emoji.id').execute()
  return rows.map(awardOf)
}

export async function awardById(db: Db, to: AwardedTo, id: number): Promise<Award | null> {
  const row = await awardsTo(db, to).where('award_emoji.id', '=', id).executeTakeFirst()
  return row ? awardOf(row) : null
}

/** Null if they have already awarded this one. */
export async function insertAward(tx: Tx, award: Insertable<AwardEmojiTable>): Promise<AwardEmoji | null> {
  const query = tx.insertInto('award_emoji').values(award)
  const inserted = query.onConflict((conflict) => conflict.doNothing()).returningAll()
  return (await inserted.executeTakeFirst()) ?? null
}

/** Locked until the transaction ends. */
export async function lockAward(tx: Tx, to: AwardedTo, user_id: number, name: string): Promise<AwardEmoji | null> {
  const query = tx.selectFrom('award_emoji').selectAll().where('user_id', '=', user_id).where('name', '=', name)
  return (await lockedRows(tx, query.where(`${to.kind}_id`, '=', to.id)).executeTakeFirst()) ?? null
}

/** Returns whether it existed. */
export async function deleteAward(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('award_emoji').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Updates the vote counts of a noteable, for `thumbsup` and `thumbsdown`. */
export async function countVote(tx: Tx, on: NoteableKey<StoredName>, name: string, by: 1 | -1): Promise<void> {
  const column = votes[name]
  if (!column) return
  await tx
    .updateTable(kindOf(on).table)
    .set({ [column]: sql`${sql.ref(column)} + ${by}` })
    .where('id', '=', on.id)
    .execute()
}

const votes: Record<string, 'upvotes' | 'downvotes'> = { thumbsup: 'upvotes', thumbsdown: 'downvotes' }
