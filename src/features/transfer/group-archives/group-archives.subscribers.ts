/** How archives of groups react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { abandonAll } from '../../storage/object-storage/object-storage.ts'
import { archivesBelow } from './exports.queries.ts'

/** The rows are deleted with the groups, the objects by a job. */
export async function abandonArchives(tx: Tx, { namespace_id }: EventOf<'namespace_removed'>): Promise<void> {
  await abandonAll(tx, await archivesBelow(tx, namespace_id))
}
