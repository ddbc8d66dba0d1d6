/** Numbers of issues and milestones within their project or group: `iid`, from 1, without gaps or repeats. */
import { sql } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import type { InternalIdTable } from '../../../db/tables.ts'

/** The next number. Other transactions that need one in the same place wait until this one ends. */
export async function nextNumber(
  tx: Tx,
  place: { project_id: number } | { namespace_id: number },
  kind: InternalIdTable['kind'],
): Promise<number> {
  const [column, id] = 'project_id' in place ? (['project_id', place.project_id] as const) : (['namespace_id', place.namespace_id] as const)
  const { last_value } = await tx
    .insertInto('internal_ids')
    .values({ project_id: null, namespace_id: null, [column]: id, kind, last_value: 1 })
    .onConflict((conflict) => conflict.columns([column, 'kind']).doUpdateSet({ last_value: sql`internal_ids.last_value + 1` }))
    .returning('last_value')
    .executeTakeFirstOrThrow()
  return last_value
}

/** Takes that many consecutive numbers, and returns the first. Does nothing for zero. */
export async function takeNumbers(tx: Tx, place: { project_id: number }, kind: InternalIdTable['kind'], count: number): Promise<number> {
  if (count === 0) return 0
  const first = await nextNumber(tx, place, kind)
  if (count > 1) await noteNumber(tx, place, kind, first + count - 1)
  return first
}

/** Records that a caller chose this number: the next one is higher. */
export async function noteNumber(
  tx: Tx,
  { project_id }: { project_id: number },
  kind: InternalIdTable['kind'],
  number: number,
): Promise<void> {
  await tx
    .insertInto('internal_ids')
    .values({ project_id, namespace_id: null, kind, last_value: number })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'kind']).doUpdateSet({
        last_value: sql`case when internal_ids.last_value < ${number} then ${number} else internal_ids.last_value end`,
      }),
    )
    .execute()
}
