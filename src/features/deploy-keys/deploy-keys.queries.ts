/** Which projects a deploy key opens. */
import type { Db } from '../../db/database.ts'

export async function openingOf(db: Db, key_id: number, project_id: number): Promise<{ can_push: boolean } | null> {
  const row = await db
    .selectFrom('deploy_key_projects')
    .select('can_push')
    .where('key_id', '=', key_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  return row ?? null
}
