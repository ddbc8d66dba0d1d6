/** Which files of a merge request somebody has viewed: what others may use of it. */
export { versionLastSeen, viewedFiles } from './viewed-files.queries.ts'
export { markViewed } from './viewed-files.service.ts'
