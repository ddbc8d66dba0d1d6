/** Resolved and outdated discussions on merge requests: what other features may use. */
export { traceLater } from './diff-discussions.jobs.ts'
export { countResolved } from './diff-discussions.queries.ts'
export {
  canResolve,
  resolveDiscussion,
  resolveDiscussionIn,
  resolveNote,
  unresolvedDiscussions,
} from './resolving.service.ts'
export { traceNotes } from './tracing.service.ts'
