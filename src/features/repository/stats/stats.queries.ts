/** The rows of what was counted of repositories. */
import type { Db } from '../../../db/database.ts'
import type { RepositoryFactTable } from '../../../db/tables.ts'

export type Kind = RepositoryFactTable['kind']
export type Fact = Pick<RepositoryFactTable, 'tip' | 'facts'>

export async function findFact(db: Db, project_id: number, kind: Kind): Promise<Fact | null> {
  const row = await db
    .selectFrom('repository_facts')
    .select(['tip', 'facts'])
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Replaces what was read as `before`. Does nothing when somebody else has done so meanwhile, or the project is gone: two who
 * count at once can't both add what they counted.
 */
export async function replaceFact(db: Db, project_id: number, kind: Kind, before: Fact | null, after: Fact): Promise<void> {
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
