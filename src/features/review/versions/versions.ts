/** Versions of merge requests: what other features may use. */
export { shownLimits, type VersionContents } from './contents.ts'
export { type Interdiff, interdiffOf } from './interdiff.service.ts'
export { refreshWaiting } from './pushes.jobs.ts'
export { ensureRefs, setMergeRef } from './refs.service.ts'
export { diffOfVersion, readVersionDiff } from './version-diff.ts'
export { presentFile, presentVersion } from './versions.present.ts'
export {
  changesOfVersion,
  commitOidsOfVersion,
  everListed,
  filesOfVersion,
  newestVersion,
  versionById,
  versionPage,
} from './versions.queries.ts'
export { type CurrentVersion, createVersionIn, currentVersion, prepareVersion } from './versions.service.ts'
