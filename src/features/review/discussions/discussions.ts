/** Discussions on merge requests, resolved and outdated: what others may use of them. */
export { countResolved } from './discussions.queries.ts'
export { canResolve, resolveDiscussion, resolveDiscussionIn, resolveNote, unresolvedDiscussions } from './resolving.service.ts'
export { traceNotes } from './tracing.service.ts'
