/** SQL for who takes part in an issue, and who is subscribed to it. */
import type { ExpressionBuilder } from 'kysely'
import type { LocatedProject } from '../../../access/find.ts'
import { seesInternalNotes } from '../../../access/notes.ts'
import { readersOfIssue } from '../../../access/readers.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Issue, Tables } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** What can be taken part in: its column, as `columnOf` of noteables has it. */
export interface Target {
  issue_id: number
}

/** Whose notes are looked at. */
export interface Reach {
  /** Those of internal ones too. */
  internal: boolean
}

/** Everybody who takes part, by id: author, assignees, who has written a note, and who is mentioned. */
export async function participantsOf(db: Db, { issue_id }: Target, { internal }: Reach): Promise<UserInBrief[]> {
  const mentions = db.selectFrom('issue_mentions').select('user_id').where('issue_id', '=', issue_id)
  const notes = db.selectFrom('notes').select('author_id as user_id').where('issue_id', '=', issue_id).where(isWrittenHere)
  const ids = db
    .selectFrom('issues')
    .select('author_id as user_id')
    .where('id', '=', issue_id)
    .union(db.selectFrom('issue_assignees').select('user_id').where('issue_id', '=', issue_id))
    .union(internal ? mentions : mentions.where('internal', '=', false))
    .union(internal ? notes : notes.where('internal', '=', false))
  return db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}

/** Those of them who can see the issue by now, for a reader with this level in its project. At most four statements. */
export async function visibleParticipants(db: Db, project: LocatedProject, issue: Issue, level: number): Promise<UserInBrief[]> {
  const found = await participantsOf(db, { issue_id: issue.id }, { internal: seesInternalNotes({ level }) })
  const ids = found.map(({ id }) => id)
  const readers = new Set(await readersOfIssue(db, project, issue, ids))
  return found.filter(({ id }) => readers.has(id))
}

/** Those of the issues that the user is subscribed to: they chose so or, without a choice, take part. One statement. */
export async function subscribedAmong(db: Db, userId: number, issueIds: number[]): Promise<Set<number>> {
  if (issueIds.length === 0) return new Set()
  const found = await db
    .selectFrom('issues')
    .leftJoin('subscriptions', (join) => join.onRef('subscriptions.issue_id', '=', 'issues.id').on('subscriptions.user_id', '=', userId))
    .select('issues.id')
    .where('issues.id', 'in', issueIds)
    .where((eb) => eb.or([eb('subscriptions.subscribed', '=', true), eb.and([eb('subscriptions.id', 'is', null), takesPart(userId)(eb)])]))
    .execute()
  return new Set(found.map(({ id }) => id))
}

export async function isSubscribed(db: Db, userId: number, { issue_id }: Target): Promise<boolean> {
  return (await subscribedAmong(db, userId, [issue_id])).has(issue_id)
}

function takesPart(userId: number) {
  return (eb: ExpressionBuilder<Tables, 'issues' | 'subscriptions'>) =>
    eb.or([
      eb('issues.author_id', '=', userId),
      eb.exists(
        eb
          .selectFrom('issue_assignees')
          .select('issue_assignees.user_id')
          .whereRef('issue_assignees.issue_id', '=', 'issues.id')
          .where('issue_assignees.user_id', '=', userId),
      ),
      eb.exists(
        eb
          .selectFrom('issue_mentions')
          .select('issue_mentions.user_id')
          .whereRef('issue_mentions.issue_id', '=', 'issues.id')
          .where('issue_mentions.user_id', '=', userId),
      ),
      eb.exists(
        eb
          .selectFrom('notes')
          .select('notes.id')
          .whereRef('notes.issue_id', '=', 'issues.id')
          .where('notes.author_id', '=', userId)
          .where(isWrittenHere),
      ),
    ])
}

/** That something was mentioned elsewhere is nothing its author did here. */
function isWrittenHere(eb: ExpressionBuilder<Tables, 'notes'>) {
  return eb.or([eb('notes.system_action', 'is', null), eb('notes.system_action', '!=', 'cross_reference')])
}

/** Keeps the choice of a user, for or against. */
export async function chooseSubscription(tx: Tx, userId: number, target: Target, subscribed: boolean): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ user_id: userId, issue_id: target.issue_id, label_id: null, project_id: null, subscribed, created_at: now() })
    .onConflict((conflict) => conflict.columns(['issue_id', 'user_id']).doUpdateSet({ subscribed }))
    .execute()
}
