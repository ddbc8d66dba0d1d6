/** SQL for who takes part in what is discussed, and who is subscribed to it. */
import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { areOn, seesInternalNotes } from '../../../access/notes.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Tables } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import {
  columnOf,
  type Issuable,
  keyOf,
  kindOf,
  kindsByName,
  type Noteable,
  noteKeyOf,
  noteTargetOf,
  readersOf,
  type Target,
} from '../noteables/noteables.ts'

/** Whose notes are looked at. */
export interface Reach {
  /** Those of internal ones too. */
  internal: boolean
}

/** The tables of those who have a part in each kind besides its author. */
const people = {
  issue: ['issue_assignees'],
  merge_request: ['merge_request_assignees', 'merge_request_reviewers'],
} as const

const mentionTables = { issue: 'issue_mentions', merge_request: 'merge_request_mentions' } as const

/** Everybody who takes part, by id: author, assignees, reviewers, who has written a note, and who is mentioned. */
export async function participantsOf(db: Db, target: Target, { internal }: Reach): Promise<UserInBrief[]> {
  const kind = kindOf(target)
  const [column, id] = keyOf(target)
  // The tables of a kind have its column; these types are of one of them.
  const [on, key] = [column as 'issue_id', kindsByName[kind].table as 'issues']
  const mentions = db
    .selectFrom(mentionTables[kind] as 'issue_mentions')
    .select('user_id')
    .where(on, '=', id)
  const notes = db.selectFrom('notes').select('author_id as user_id').where(on, '=', id).where(isWrittenHere)
  let ids = db
    .selectFrom(key)
    .select('author_id as user_id')
    .where('id', '=', id)
    .union(internal ? mentions : mentions.where('internal', '=', false))
    .union(internal ? notes : notes.where('internal', '=', false))
  for (const table of people[kind])
    ids = ids.union(
      db
        .selectFrom(table as 'issue_assignees')
        .select('user_id')
        .where(on, '=', id),
    )
  return briefly(db).where('id', 'in', ids).orderBy('id').execute()
}

function briefly(db: Db) {
  return db.selectFrom('users').select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
}

type OnCommit = Extract<Noteable, { kind: 'commit' }>

/** Who takes part in a commit, by id: whoever has written a note. Its author and committer are known by their addresses alone. */
async function writersOn(db: Db, noteable: OnCommit, { internal }: Reach): Promise<UserInBrief[]> {
  const notes = db
    .selectFrom('notes')
    .select('author_id')
    .where(areOn('notes', noteKeyOf(noteTargetOf(noteable))))
    .where(isWrittenHere)
  const ids = internal ? notes : notes.where('internal', '=', false)
  return briefly(db).where('id', 'in', ids).orderBy('id').execute()
}

/** Those of them who can see it by now, for a reader with its level. At most four statements. */
export async function visibleParticipants(db: Db, noteable: Issuable | OnCommit): Promise<UserInBrief[]> {
  const reach = { internal: seesInternalNotes(noteable) }
  const found = noteable.kind === 'commit' ? await writersOn(db, noteable, reach) : await participantsOf(db, columnOf(noteable), reach)
  const ids = found.map(({ id }) => id)
  const readers = new Set(await readersOf(db, noteable, ids))
  return found.filter(({ id }) => readers.has(id))
}

/** Those of a kind that the user is subscribed to: they chose so or, without a choice, take part. One statement. */
export async function subscribedAmong(db: Db, userId: number, ids: number[], kind: Issuable['kind'] = 'issue'): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const table = kindsByName[kind].table as 'issues'
  const [column, id] = [`subscriptions.${kind as 'issue'}_id` as const, `${table}.id` as const]
  const found = await db
    .selectFrom(table)
    .leftJoin('subscriptions', (join) => join.onRef(column, '=', id).on('subscriptions.user_id', '=', userId))
    .select(id)
    .where(id, 'in', ids)
    .where((eb) =>
      eb.or([eb('subscriptions.subscribed', '=', true), eb.and([eb('subscriptions.id', 'is', null), takesPart(userId, kind)])]),
    )
    .execute()
  return new Set(found.map((row) => row.id))
}

export async function isSubscribed(db: Db, userId: number, target: Target): Promise<boolean> {
  const [, id] = keyOf(target)
  return (await subscribedAmong(db, userId, [id], kindOf(target))).has(id)
}

/** For a query over the table of the kind. */
function takesPart(userId: number, kind: Issuable['kind']): RawBuilder<SqlBool> {
  const { table } = kindsByName[kind]
  const id = sql.ref(`${table}.id`)
  const isIn = (name: string, further = sql``) =>
    sql<SqlBool>`exists (select 1 from ${sql.table(name)} where ${sql.ref(`${name}.${kind}_id`)} = ${id} and ${sql.ref(`${name}.user_id`)} = ${userId}${further})`
  const mentions = mentionTables[kind]
  // Whom internal notes alone mention may not be told of them.
  const isMentioned = isIn(mentions, sql` and ${sql.ref(`${mentions}.internal`)} = ${sql.lit(false)}`)
  const inTables = [...people[kind].map((name) => isIn(name)), isMentioned]
  const notes = sql<SqlBool>`exists (select 1 from notes where ${sql.ref(`notes.${kind}_id`)} = ${id} and notes.author_id = ${userId}
    and (notes.system_action is null or notes.system_action != 'cross_reference'))`
  return sql<SqlBool>`(${sql.join([sql`${sql.ref(`${table}.author_id`)} = ${userId}`, ...inTables, notes], sql` or `)})`
}

/** That something was mentioned elsewhere is nothing its author did here; and not every reader sees where. */
function isWrittenHere(eb: ExpressionBuilder<Tables, 'notes'>) {
  return eb.and([
    eb('notes.about_issue_id', 'is', null),
    eb('notes.about_merge_request_id', 'is', null),
    eb('notes.about_project_id', 'is', null),
    eb.or([eb('notes.system_action', 'is', null), eb('notes.system_action', '!=', 'cross_reference')]),
  ])
}

/** Keeps the choice of a user, for or against. */
export async function chooseSubscription(tx: Tx, userId: number, target: Target, subscribed: boolean): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ ...target, user_id: userId, label_id: null, project_id: null, subscribed, created_at: now() })
    .onConflict((conflict) => conflict.columns([keyOf(target)[0], 'user_id']).doUpdateSet({ subscribed }))
    .execute()
}
