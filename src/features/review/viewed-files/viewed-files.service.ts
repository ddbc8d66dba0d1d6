/** Rules of viewed files: a mark belongs to a blob, and is void when the file changes. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { deleteViewed, hasFile, insertViewed } from './viewed-files.queries.ts'

/** Throws 400 for an invalid blob id, 404 for a file that the merge request doesn't change. */
export async function markViewed(
  app: App,
  { id: user_id }: User,
  { id: merge_request_id }: Pick<MergeRequest, 'id'>,
  { path, oid, viewed }: { path: string; oid: string; viewed: boolean },
): Promise<void> {
  if (!/^[0-9a-f]{40,64}$/.test(oid)) throw invalid({ oid: ['is invalid'] })
  if (!(await hasFile(app.db, merge_request_id, path))) throw notFound('File')
  await inTransaction(app.db, (tx) =>
    viewed
      ? insertViewed(tx, { user_id, merge_request_id, path, oid, viewed_at: now() })
      : deleteViewed(tx, user_id, merge_request_id, path),
  )
}
