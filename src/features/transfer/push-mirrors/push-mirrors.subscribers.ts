/** How push mirrors react to pushes. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { markScheduled } from '../mirrors/mirrors.ts'
import { pushMirrorJob } from './push-mirrors.jobs.ts'
import { enabledPushMirrors } from './push-mirrors.queries.ts'

/** Mirrors that wait after a failure keep waiting: they have a job already. */
export async function updatePushMirrors(tx: Tx, { project_id }: Pick<EventOf<'refs_pushed'>, 'project_id'>): Promise<void> {
  const mirrors = await enabledPushMirrors(tx, { project_id })
  await markScheduled(
    tx,
    'push_mirrors',
    mirrors.filter(({ failures }) => failures === 0).map(({ id }) => id),
  )
  for (const { id, user_id } of mirrors) await enqueue(tx, pushMirrorJob, { mirror_id: id }, user_id === null ? {} : { asked_by: user_id })
}
