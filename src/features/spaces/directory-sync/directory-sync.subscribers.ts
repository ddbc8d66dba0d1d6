/** Adds a user to their groups at their first sign-in, rather than within the hour. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { identitiesOf } from '../../people/identities/identities.ts'
import { directoryName } from '../../people/provider-sign-in/provider-sign-in.ts'
import { syncDirectoryJob } from './directory-sync.jobs.ts'

export async function syncNewUser(tx: Tx, { user }: EventOf<'user_created'>): Promise<void> {
  const isInDirectory = (await identitiesOf(tx, [user.id])).some(({ provider }) => provider === directoryName)
  if (isInDirectory) await enqueue(tx, syncDirectoryJob, {})
}
