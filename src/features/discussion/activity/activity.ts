/** Activity: what others may use of it. */
export {
  type EventFilter,
  type EventScope,
  eventFilters,
  type ListedEvent,
  type ListedNote,
} from './events.queries.ts'
export { listEvents } from './events.service.ts'
export { type BranchPush, lastBranchPushOf } from './pushes.queries.ts'
