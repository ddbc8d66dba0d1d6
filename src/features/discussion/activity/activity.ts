/** Activity: what other features may use. */
export {
  type EventFilter,
  type EventScope,
  eventFilters,
  type ListedEvent,
  type ListedNote,
} from './events.queries.ts'
export { listEvents } from './events.service.ts'
export { type BranchPush, lastBranchPushOf } from './pushes.queries.ts'
