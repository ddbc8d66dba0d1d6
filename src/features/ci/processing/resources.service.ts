/** Starts the next job of a resource group, whose jobs run one at a time. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { proceed } from './advance.service.ts'
import { makePending } from './moving.ts'
import { holdersOf, liveStatuses, lockPipeline, lockResourceGroup, modeOf, waitingFor } from './processing.queries.ts'

/** Starts the next job that waits for this group, if the group is free. Safe to repeat. */
export async function startNextOf(app: App, resource_group_id: number): Promise<void> {
  const mode = await modeOf(app.db, resource_group_id)
  const waiting = mode === null ? [] : await waitingFor(app.db, resource_group_id)
  if (mode?.startsWith('newest')) waiting.reverse()
  for (const { id, pipeline_id } of waiting) {
    const isDone = await inTransaction(app.db, async (tx) => {
      // The pipeline is locked first, as everywhere.
      const pipeline = await lockPipeline(tx, pipeline_id)
      if (!pipeline || !(await lockResourceGroup(tx, resource_group_id))) return false
      if ((await holdersOf(tx, resource_group_id)) > 0) return true
      const job = (await liveStatuses(tx, pipeline_id)).find((one) => one.id === id && one.status === 'waiting_for_resource')
      if (!job) return false
      await makePending(tx, pipeline, [job])
      await proceed(tx, pipeline)
      return true
    })
    if (isDone) return
  }
}
