/** SQL that reads the rows of a project for an archive, table by table, in pages. */
import type { Db } from '../../../db/database.ts'
import type { RowTable } from './format.ts'

export type Row = Record<string, unknown> & { id: number }

/** The next rows of the project, ordered by id. */
export async function rowsAfter(db: Db, table: RowTable, project_id: number, after: number, limit: number): Promise<Row[]> {
  // Each of these tables has both columns; the schema of the format knows the others.
  return db
    .selectFrom(table as 'releases')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function peopleOf(db: Db, ids: number[]): Promise<Array<{ id: number; username: string; name: string; email: string }>> {
  return ids.length === 0 ? [] : db.selectFrom('users').select(['id', 'username', 'name', 'email']).where('id', 'in', ids).execute()
}

/** The next LFS files of the project, ordered by id. */
export async function largeFilesAfter(
  db: Db,
  project_id: number,
  oid: string,
  limit: number,
): Promise<Array<{ oid: string; size: number; store_key: string }>> {
  return db
    .selectFrom('lfs_links')
    .innerJoin('lfs_objects', 'lfs_objects.oid', 'lfs_links.oid')
    .select(['lfs_objects.oid', 'lfs_objects.size', 'lfs_objects.store_key'])
    .where('lfs_links.project_id', '=', project_id)
    .where('lfs_links.oid', '>', oid)
    .orderBy('lfs_links.oid')
    .limit(limit)
    .execute()
}
