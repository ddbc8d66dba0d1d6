/** Deploy keys: keys of machines, which open the projects they are enabled in. */
import type { Db } from '../../db/database.ts'
import { openingOf } from './deploy-keys.queries.ts'

/** What the key may do in the project; null when it is not enabled there. */
export function findOpening(db: Db, key_id: number, project_id: number): Promise<{ can_push: boolean } | null> {
  return openingOf(db, key_id, project_id)
}
