/** SQL that moves members, group shares, deploy keys, tokens, stars and forks from one project to another. */
import type { Db } from '../../../db/database.ts'

/** Whether the path leads to this project. */
export async function leadsTo(db: Db, path: string, project_id: number): Promise<boolean> {
  const found = await db.selectFrom('routes').select('project_id').where('path_key', '=', path.toLowerCase()).executeTakeFirst()
  return found?.project_id === project_id
}

/** Tables with one row per project and other entity, and the column of the other entity. */
const shared = {
  members: 'user_id',
  group_shares: 'group_id',
  deploy_key_projects: 'key_id',
  project_stars: 'user_id',
  pinned_projects: 'user_id',
} as const

/** Rows that the new project has already are kept. */
export async function moveRelations(tx: Db, old: number, id: number): Promise<void> {
  for (const [table, column] of Object.entries(shared) as Array<['members', 'user_id']>) {
    await tx
      .updateTable(table)
      .set({ project_id: id })
      .where('project_id', '=', old)
      .where(column, 'not in', (eb) => eb.selectFrom(table).select(column).where('project_id', '=', id))
      .execute()
  }
  // Bot users have just been moved with the members.
  for (const table of ['access_tokens', 'deploy_tokens'] as const)
    await tx.updateTable(table).set({ project_id: id }).where('project_id', '=', old).execute()
  await tx.updateTable('projects').set({ forked_from_id: id }).where('forked_from_id', '=', old).execute()
  // Merge requests from the old project to others; those within it are in the archive.
  await tx
    .updateTable('merge_requests')
    .set({ source_project_id: id })
    .where('source_project_id', '=', old)
    .where('project_id', '!=', old)
    .execute()
  await tx
    .updateTable('projects')
    .set((eb) => ({
      forked_from_id: eb.selectFrom('projects as old').select('old.forked_from_id').where('old.id', '=', old),
      star_count: eb.selectFrom('project_stars').select(eb.fn.countAll<number>().as('count')).where('project_id', '=', id),
    }))
    .where('id', '=', id)
    .execute()
}
