/** Artifacts of jobs: what other features may use of them. */
export { type ArchivedFile, listArchive, openArchived } from './archive.ts'
export { mayReadArtifact, requireReader } from './artifacts.access.ts'
export { artifactOf, artifactsOfJobs, latestJobWithArchive } from './artifacts.queries.ts'
export { isAvailable, keepArtifacts, removeArtifacts, removeArtifactsOf, requireArtifact } from './artifacts.service.ts'
