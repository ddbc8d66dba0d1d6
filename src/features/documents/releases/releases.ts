/** Releases: what other features may use. */
export { evidenceAt } from './evidences.queries.ts'
export { addLink, changeLink } from './links.service.ts'
export { presentLink, presentRelease, presentReleases, sourcesOf } from './releases.present.ts'
export {
  type AuthoredRelease,
  deleteLink,
  findLink,
  findLinkByPath,
  findRelease,
  latestRelease,
  linksOf,
  listReleases,
  milestonesOf,
} from './releases.queries.ts'
export { assertMayRelease, changeRelease, createRelease, removeRelease, requireRelease } from './releases.service.ts'
