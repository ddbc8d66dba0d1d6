/** Background work after an upgrade. */
import { job } from '../../../queue/queue.ts'
import { renameReserved } from './reserved-names.service.ts'

/** Runs once after an upgrade from a version with such names: migration 0043 enqueues it. Idempotent. */
export const renameReservedJob = job<object>('namespaces.rename_reserved', {
  handle: (app, _, stopping) => renameReserved(app, stopping),
})

export const reservedNameJobs = [renameReservedJob]
