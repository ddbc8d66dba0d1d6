/** SQL that inserts the planning of a project from an archive. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { ListTable, PlanningTable } from '../archive/archive.ts'

type Values = Record<string, unknown>

/** Deletes the rows of an earlier attempt; rows that belong to issues and boards are deleted with them. */
export async function clearPlanning(tx: Db, project_id: number): Promise<void> {
  for (const table of [
    'events',
    'notes',
    'issues',
    'merge_requests',
    'snippets',
    'boards',
    'milestones',
    'labels',
    'internal_ids',
  ] as const) {
    const rows = tx.deleteFrom(table).where('project_id', '=', project_id)
    // The first event of the project itself is kept.
    await (table === 'events' ? rows.where(sql.ref('target_type'), 'is not', null) : rows).execute()
  }
}

/** The id of the new row; null if it conflicts with an existing one, which is kept. */
export async function insertOne(tx: Db, table: PlanningTable, row: Values): Promise<number | null> {
  const inserted = await tx
    .insertInto(table as 'labels')
    .values(row as never)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted?.id ?? null
}

/** If two rows conflict, the first is kept. */
export async function insertMany(tx: Db, table: PlanningTable | ListTable | 'label_priorities', rows: Values[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto(table as 'labels')
    .values(rows as never)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The label or milestone with this title in a group above, or else in the project itself. */
export async function titled(
  tx: Db,
  table: 'labels' | 'milestones',
  { project_id, above }: { project_id: number; above: boolean },
  title: string,
): Promise<number | null> {
  const groups = tx
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .select('namespace_ancestors.ancestor_id')
    .where('projects.id', '=', project_id)
  const found = await tx
    .selectFrom(table as 'labels')
    .select('id')
    .where('title', '=', title)
    .$if(above, (query) => query.where('namespace_id', 'in', groups))
    .$if(!above, (query) => query.where('project_id', '=', project_id))
    .orderBy('id')
    .executeTakeFirst()
  return found?.id ?? null
}

/**
 * Updates the counts of the issues, merge requests and snippets of the project, continues their numbering after the highest, and enqueues a
 * check of the branches of open merge requests: they may have moved since their last version.
 */
export async function completePlanning(tx: Db, project_id: number): Promise<void> {
  await countAndNumber(tx, project_id)
  const open = tx
    .selectFrom('merge_requests')
    .select(['id', 'updated_at'])
    .where('project_id', '=', project_id)
    .where('state', '=', 'opened')
  await tx.insertInto('pending_versions').columns(['merge_request_id', 'created_at']).expression(open).execute()
}

async function countAndNumber(tx: Db, project_id: number): Promise<void> {
  for (const [table, column] of [
    ['issues', 'issue_id'],
    ['merge_requests', 'merge_request_id'],
    ['snippets', 'snippet_id'],
  ] as const) {
    const id = sql.ref(`${table}.id`)
    const awards = (name: string) =>
      sql<number>`(select count(*) from award_emoji where award_emoji.${sql.ref(column)} = ${id} and award_emoji.name = ${name})`
    await tx
      .updateTable(table)
      .set({
        user_notes_count: sql<number>`(select count(*) from notes where notes.${sql.ref(column)} = ${id} and notes.system = ${sql.lit(false)} and notes.internal = ${sql.lit(false)})`,
        upvotes: awards('thumbsup'),
        downvotes: awards('thumbsdown'),
      })
      .where('project_id', '=', project_id)
      .execute()
  }
  for (const [kind, table] of [
    ['issue', 'issues'],
    ['merge_request', 'merge_requests'],
    ['milestone', 'milestones'],
  ] as const) {
    const { last } = await tx
      .selectFrom(table)
      .select((eb) => eb.fn.max('iid').as('last'))
      .where('project_id', '=', project_id)
      .executeTakeFirstOrThrow()
    if (last === null) continue
    await tx
      .insertInto('internal_ids')
      .values({ project_id, namespace_id: null, kind, last_value: last })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'kind']).doUpdateSet({
          last_value: sql`case when internal_ids.last_value < excluded.last_value then excluded.last_value else internal_ids.last_value end`,
        }),
      )
      .execute()
  }
}
