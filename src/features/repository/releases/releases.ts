/** Releases: what others may use of them. */
export { findLinkByPath, findRelease } from './releases.queries.ts'
