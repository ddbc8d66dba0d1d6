/** Releases: what others may use of them. */
export { findLinkByPath, findRelease, listReleases } from './releases.queries.ts'
