/** Snippets of an archive: columns derived from their files, which come after them. */
import { sql } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import type { Visibility } from '../../../db/tables.ts'
import { isFilePath, maxContent_bytes } from '../../snippets/snippets.ts'
import { archiveError, type PlanningTable } from '../archive/archive.ts'
import type { Line } from './restoring.ts'

/** Adds derived columns. Throws `invalid` for a path that a file of a snippet can't have. */
export function addSnippet(table: PlanningTable, line: Line, row: Line): void {
  if (table === 'snippets') row.file_name = ''
  if (table === 'snippet_files' && !isFilePath(line.path as string)) throw archiveError('has a file of a snippet whose path is invalid')
  // Issues keep their numbers, snippets get new ones.
  if (table === 'notes' && line.system && typeof row.about_snippet_id === 'number')
    row.body = (row.body as string).replace(/^(mentioned in snippet \S*\$)\d+$/, `$1${row.about_snippet_id}`)
}

/**
 * Throws `invalid` if a snippet has no file, or too much content.
 * @param refused visibility levels that the importer may not use: snippets with one become private
 */
export async function completeSnippets(tx: Tx, project_id: number, refused: readonly Visibility[]): Promise<void> {
  if (refused.length > 0)
    await tx
      .updateTable('snippets')
      .set({ visibility: 'private' })
      .where('project_id', '=', project_id)
      .where('visibility', 'in', refused)
      .execute()
  const files = tx.selectFrom('snippet_files').where('snippet_files.snippet_id', '=', sql.ref<number>('snippets.id'))
  const first = files.select('path').orderBy('position').limit(1)
  const size = files.select(sql<number>`coalesce(sum(octet_length(content)), 0)`.as('size'))
  await tx
    .updateTable('snippets')
    .set({ file_name: sql`coalesce((${first}), '')`, size: sql`(${size})` })
    .where('project_id', '=', project_id)
    .execute()
  const { largest, smallest, all } = await tx
    .selectFrom('snippets')
    .select((eb) => [eb.fn.max('size').as('largest'), eb.fn.min('size').as('smallest'), eb.fn.sum<number>('size').as('all')])
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  if (smallest === 0) throw archiveError('has a snippet without a file')
  if ((largest ?? 0) > maxContent_bytes) throw archiveError('has a snippet that is too long')
  await tx
    .updateTable('projects')
    .set({ snippets_size: Number(all ?? 0) })
    .where('id', '=', project_id)
    .execute()
}
