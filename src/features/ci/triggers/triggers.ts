/** Triggers: what other features may use. */
export { triggerManaged, triggersManaged } from './triggers.access.ts'
export { deleteTrigger, listTriggers } from './triggers.queries.ts'
export { changeTrigger, createTrigger, shortTriggerToken, shownToken } from './triggers.service.ts'
