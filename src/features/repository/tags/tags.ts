/** Tags: what other features and pages may use. */
export { deleteRelease, insertRelease, type NewRelease, releasesOf } from './tags.queries.ts'
export { createDescribedTag, createTag, deleteTag, tagAt } from './tags.service.ts'
