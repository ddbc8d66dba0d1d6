/** SQL that inserts the rows of groups from an archive. */
import type { Insertable } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import type { BadgeTable, BoardListTable, BoardTable, LabelTable, MemberTable, MilestoneTable } from '../../../db/tables.ts'

/** Skips a label that conflicts with an earlier one. */
export async function insertLabels(tx: Tx, rows: Array<Insertable<LabelTable>>) {
  return tx
    .insertInto('labels')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'namespace_id', 'title'])
    .execute()
}

export async function insertBoard(tx: Tx, row: Insertable<BoardTable>): Promise<number> {
  return (await tx.insertInto('boards').values(row).returning('id').executeTakeFirstOrThrow()).id
}

interface Insertables {
  members: MemberTable
  milestones: MilestoneTable
  board_lists: BoardListTable
  badges: BadgeTable
}

/** Skips a row that conflicts with an earlier one. */
export async function insertRows<T extends keyof Insertables>(tx: Tx, table: T, rows: Array<Insertable<Insertables[T]>>): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto(table as 'members')
    .values(rows as Array<Insertable<MemberTable>>)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The numbers after those of the milestones. */
export async function countMilestones(tx: Tx, group_ids: number[]): Promise<void> {
  await tx
    .insertInto('internal_ids')
    .columns(['namespace_id', 'kind', 'last_value'])
    .expression((eb) =>
      eb
        .selectFrom('milestones')
        .select(['milestones.namespace_id', eb.val('milestone').as('kind')])
        .select((most) => most.fn.max('milestones.iid').as('last_value'))
        .where('milestones.namespace_id', 'in', group_ids)
        .groupBy('milestones.namespace_id'),
    )
    .execute()
}
