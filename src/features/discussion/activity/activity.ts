/** Activity: what others may use of it. */
export { insertWikiEvents } from './activity.queries.ts'
export type { ListedEvent, ListedNote } from './event-rows.queries.ts'
export { type EventFilter, type EventScope, eventFilters } from './events.queries.ts'
export { listEvents } from './events.service.ts'
export { type BranchPush, lastBranchPushOf } from './pushes.queries.ts'
