/** Reactions of protected refs to events of other features. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { protectDefaultBranch } from './protected-refs.service.ts'

/** Protects the first default branch of a repository by the setting of the instance. */
export async function protectFirstBranch(tx: Tx, event: EventOf<'refs_pushed'>): Promise<void> {
  const { project_id, default_branch, has_new_default_branch } = event
  if (has_new_default_branch && default_branch !== null) await protectDefaultBranch(tx, project_id, default_branch)
}
