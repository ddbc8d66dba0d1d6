/** SQL for the labels of issues and merge requests, and for the people involved in them. */
import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { grouped } from '../../../db/rows.ts'
import type { Label, TimeLogTable } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import { type AssigneeTable, idColumns, type LabelTable, type PeopleTable } from './kinds.ts'

export async function peopleIds(db: Db, table: PeopleTable, id: number): Promise<number[]> {
  const found = await db.selectFrom(table).select('user_id').where(idColumns[table], '=', id).orderBy('user_id').execute()
  return found.map(({ user_id }) => user_id)
}

export async function labelIds(db: Db, table: LabelTable, id: number): Promise<number[]> {
  const found = await db.selectFrom(table).select('label_id').where(idColumns[table], '=', id).orderBy('label_id').execute()
  return found.map(({ label_id }) => label_id)
}

export async function addAssignees(tx: Tx, table: AssigneeTable, id: number, userIds: number[]): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto(table)
    .values(userIds.map((user_id) => ({ ...owner(table, id), user_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function removePeople(tx: Tx, table: PeopleTable, id: number, userIds: number[]): Promise<void> {
  if (userIds.length === 0) return
  await tx.deleteFrom(table).where(idColumns[table], '=', id).where('user_id', 'in', userIds).execute()
}

export async function addLabels(tx: Tx, table: LabelTable, id: number, labelIds: number[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx
    .insertInto(table)
    .values(labelIds.map((label_id) => ({ ...owner(table, id), label_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function removeLabels(tx: Tx, table: LabelTable, id: number, labelIds: number[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx.deleteFrom(table).where(idColumns[table], '=', id).where('label_id', 'in', labelIds).execute()
}

function owner(table: LabelTable | AssigneeTable, id: number) {
  return table === 'issue_labels' || table === 'issue_assignees' ? { issue_id: id } : { merge_request_id: id }
}

/** The people of each, ordered by id. */
export async function peopleOf(db: Db, table: PeopleTable, ids: number[]): Promise<Map<number, UserInBrief[]>> {
  const found = await db
    .selectFrom(table)
    .innerJoin('users', 'users.id', `${table}.user_id`)
    .select((eb) => eb.ref(idColumns[table]).as('issuable_id'))
    .select(['users.id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
    .where(idColumns[table], 'in', ids)
    .orderBy('users.id')
    .execute()
  return grouped(found, ({ issuable_id }) => issuable_id)
}

/** The labels of each, ordered by title. */
export async function labelsOf(db: Db, table: LabelTable, ids: number[]): Promise<Map<number, Label[]>> {
  const found = await db
    .selectFrom(table)
    .innerJoin('labels', 'labels.id', `${table}.label_id`)
    .selectAll('labels')
    .select((eb) => eb.ref(idColumns[table]).as('issuable_id'))
    .where(idColumns[table], 'in', ids)
    .orderBy('labels.title')
    .orderBy('labels.id')
    .execute()
  return grouped(found, ({ issuable_id }) => issuable_id)
}

export async function insertTimeLog(tx: Tx, log: Insertable<TimeLogTable>): Promise<void> {
  await tx.insertInto('time_logs').values(log).execute()
}
