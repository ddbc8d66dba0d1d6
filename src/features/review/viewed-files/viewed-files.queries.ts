/** SQL for files of merge requests that a user has viewed. */
import type { Db, Tx } from '../../../db/database.ts'
import type { Instant, MergeRequestVersion } from '../../../db/tables.ts'

/** The blob ids that were viewed, keyed by path. */
export async function viewedFiles(db: Db, user_id: number, merge_request_id: number): Promise<Map<string, string>> {
  const found = await db
    .selectFrom('viewed_files')
    .select(['path', 'oid'])
    .where('user_id', '=', user_id)
    .where('merge_request_id', '=', merge_request_id)
    .execute()
  return new Map(found.map(({ path, oid }) => [path, oid]))
}

export async function insertViewed(
  tx: Tx,
  row: { user_id: number; merge_request_id: number; path: string; oid: string; viewed_at: Instant },
): Promise<void> {
  await tx
    .insertInto('viewed_files')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'merge_request_id', 'path']).doUpdateSet({ oid: row.oid, viewed_at: row.viewed_at }),
    )
    .execute()
}

export async function deleteViewed(tx: Tx, user_id: number, merge_request_id: number, path: string): Promise<void> {
  await tx
    .deleteFrom('viewed_files')
    .where('user_id', '=', user_id)
    .where('merge_request_id', '=', merge_request_id)
    .where('path', '=', path)
    .execute()
}

/** Whether a version of the merge request has a file of this path. */
export async function hasFile(db: Db, merge_request_id: number, path: string): Promise<boolean> {
  const found = db
    .selectFrom('merge_request_versions as version')
    .innerJoin('merge_request_version_files as file', 'file.version_id', 'version.id')
    .select('file.position')
    .where('version.merge_request_id', '=', merge_request_id)
    .where('file.new_path', '=', path)
    .limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** The newest version when the user last wrote on the merge request or marked a file; null if they haven't. */
export async function versionLastSeen(db: Db, user_id: number, merge_request_id: number): Promise<MergeRequestVersion | null> {
  const written = await db
    .selectFrom('notes')
    .select(({ fn }) => fn.max('created_at').as('at'))
    .where('merge_request_id', '=', merge_request_id)
    .where('author_id', '=', user_id)
    .where('system', '=', false)
    .executeTakeFirst()
  const marked = await db
    .selectFrom('viewed_files')
    .select(({ fn }) => fn.max('viewed_at').as('at'))
    .where('merge_request_id', '=', merge_request_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  const last = [written?.at ?? '', marked?.at ?? ''].sort().at(-1)
  if (!last) return null
  const found = db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', merge_request_id)
    .where('created_at', '<=', last)
    .orderBy('id', 'desc')
    .limit(1)
  return (await found.executeTakeFirst()) ?? null
}
