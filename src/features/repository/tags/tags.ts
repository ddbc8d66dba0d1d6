/** Tags: what other features may use of them. */
export { deleteRelease, insertRelease, type NewRelease } from './tags.queries.ts'
export { createTag } from './tags.service.ts'
