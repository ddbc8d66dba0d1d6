/** Sends on request: earlier deliveries again, and samples that test a hook. Both are queued after what already waits. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Hook } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { projectEvent } from '../payloads/payloads.ts'
import { stored } from './deliver.ts'
import { sendJob } from './deliveries.jobs.ts'
import { insertDeliveries, newestOf, sendAgain, wakeHook } from './deliveries.queries.ts'
import { newestProjectOfAll } from './samples.queries.ts'
import { groupTriggers, sampleOf, type Trigger } from './samples.service.ts'

/**
 * @param id null for all that failed finally.
 * @returns how many
 */
export function deliverAgain(db: Parameters<typeof inTransaction>[0], hook_id: number, id: number | null): Promise<number> {
  return inTransaction(db, async (tx) => {
    const count = await sendAgain(tx, hook_id, id)
    await sendNow(tx, hook_id)
    return count
  })
}

/**
 * Throws 422 if there is nothing of this kind.
 * @returns the id of the delivery
 */
export async function sendSample(app: App, hook: Hook, trigger: Trigger, user_id: number): Promise<number> {
  const content = await sampleOf(app, hook, trigger, user_id)
  return queue(app, hook, groupTriggers[trigger], stored(groupTriggers[trigger], content))
}

/**
 * From the newest project, or an imaginary one if there is none.
 * @returns the payload
 */
export async function sampleOfInstance(app: App, hook: Hook) {
  const project_id = await newestProjectOfAll(app.db)
  const real = project_id === null ? null : await projectEvent(app.db, 'project_create', project_id)
  const body = real ?? { event_name: 'project_create', ...nobody }
  await queue(app, hook, 'System Hook', stored('System Hook', { body }))
  const { event_name, name, path, owner_name, owner_email } = body
  return { event_name, name, path, project_id: body.project_id, owner_name, owner_email }
}

const nobody = { name: 'Ruby', path: 'ruby', project_id: 1, owner_name: 'Someone', owner_email: 'someone@example.com' }

function queue(app: App, { id }: Hook, event: string, payload: ReturnType<typeof stored>): Promise<number> {
  return inTransaction(app.db, async (tx) => {
    await insertDeliveries(tx, [{ id, event }], [payload])
    await sendNow(tx, id)
    return newestOf(tx, id)
  })
}

/** A hook that is paused after failures is tried at once, since someone is watching. */
async function sendNow(tx: Tx, hook_id: number): Promise<void> {
  await wakeHook(tx, hook_id)
  await enqueue(tx, sendJob, {})
}
