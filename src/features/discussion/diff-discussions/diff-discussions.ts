/** Discussions on merge requests, resolved and outdated: what others may use of them. */
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
