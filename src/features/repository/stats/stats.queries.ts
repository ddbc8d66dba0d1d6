/** SQL for the stored statistics of repositories. */
import type { Db } from '../../../db/database.ts'
import type { RepositoryFactTable } from '../../../db/tables.ts'

export type Kind = RepositoryFactTable['kind']
export type StoredStat = Pick<RepositoryFactTable, 'tip' | 'facts'>

export async function findStat(db: Db, project_id: number, kind: Kind): Promise<StoredStat | null> {
  const row = await db
    .selectFrom('repository_facts')
    .select(['tip', 'facts'])
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Replaces the state that was read as `before`. Does nothing if another process has replaced it meanwhile, or the project was deleted, so
 * two concurrent counts can't both be added.
 */
export async function replaceStat(db: Db, project_id: number, kind: Kind, before: StoredStat | null, after: StoredStat): Promise<void> {
  if (before) {
    const place = db.updateTable('repository_facts').where('project_id', '=', project_id).where('kind', '=', kind)
    await place.set(after).where('tip', '=', before.tip).execute()
    return
  }
  await db
    .insertInto('repository_facts')
    .columns(['project_id', 'kind', 'tip', 'facts'])
    .expression((builder) =>
      builder
        .selectFrom('projects')
        .select(({ val }) => ['id as project_id', val(kind).as('kind'), val(after.tip).as('tip'), val(after.facts).as('facts')])
        .where('id', '=', project_id),
    )
    .onConflict((conflict) => conflict.columns(['project_id', 'kind']).doNothing())
    .execute()
}
