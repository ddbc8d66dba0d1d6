/** Viewed files of a merge request: what other features may use. */
export { versionLastSeen, viewedFiles } from './viewed-files.queries.ts'
export { markViewed } from './viewed-files.service.ts'
