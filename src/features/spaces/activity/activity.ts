/** Activity: what others may use of it. */
export {
  type EventFilter,
  type EventScope,
  eventFilters,
  type ListedEvent,
  type ListedNote,
  listEvents,
} from './events.queries.ts'
export { type BranchPush, lastBranchPushOf } from './pushes.queries.ts'
