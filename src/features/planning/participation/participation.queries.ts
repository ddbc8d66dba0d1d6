/** SQL for who takes part in an issue, and who is subscribed to it. */
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** What can be taken part in: its column, as `columnOf` of noteables has it. */
export interface Target {
  issue_id: number
}

/** Those among whom notes count. A note about a mention elsewhere is none of its author's here. */
export interface Reach {
  /** Of internal notes too. */
  internal: boolean
}

/** The ids of author, assignees, who has written a note, and who is mentioned; of one user where `onlyId` is given. */
function participants(db: Db, { issue_id }: Target, { internal }: Reach, onlyId?: number) {
  const author = db.selectFrom('issues').select('author_id as user_id').where('id', '=', issue_id)
  const assignees = db.selectFrom('issue_assignees').select('user_id').where('issue_id', '=', issue_id)
  const notes = db
    .selectFrom('notes')
    .select('author_id as user_id')
    .where('issue_id', '=', issue_id)
    .where((eb) => eb.or([eb('system_action', 'is', null), eb('system_action', '!=', 'cross_reference')]))
  const readNotes = internal ? notes : notes.where('internal', '=', false)
  const mentioned = db.selectFrom('issue_mentions').select('user_id').where('issue_id', '=', issue_id)
  if (onlyId === undefined) return author.union(assignees).union(readNotes).union(mentioned)
  return author
    .where('author_id', '=', onlyId)
    .union(assignees.where('user_id', '=', onlyId))
    .union(readNotes.where('author_id', '=', onlyId))
    .union(mentioned.where('user_id', '=', onlyId))
}

/** Everybody who takes part, by id. */
export async function participantsOf(db: Db, target: Target, reach: Reach): Promise<UserInBrief[]> {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
    .where('id', 'in', participants(db, target, reach))
    .orderBy('id')
    .execute()
}

/** Whether they chose so or, without a choice, take part. */
export async function isSubscribed(db: Db, userId: number, target: Target): Promise<boolean> {
  const { choice, takesPart } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('subscriptions')
        .select('subscribed')
        .where('user_id', '=', userId)
        .where('issue_id', '=', target.issue_id)
        .as('choice'),
      eb.exists(participants(db, target, { internal: true }, userId)).as('takesPart'),
    ])
    .executeTakeFirstOrThrow()
  return Boolean(choice ?? takesPart)
}

/** Keeps the choice of a user, for or against. */
export async function chooseSubscription(tx: Tx, userId: number, target: Target, subscribed: boolean): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ user_id: userId, issue_id: target.issue_id, label_id: null, project_id: null, subscribed, created_at: now() })
    .onConflict((conflict) => conflict.columns(['issue_id', 'user_id']).doUpdateSet({ subscribed }))
    .execute()
}
