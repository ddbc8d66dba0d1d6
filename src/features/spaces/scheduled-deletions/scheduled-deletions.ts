/** Deletion of projects and groups, at once or later: what others may use of it. */
export { deleteGroup, deleteProject, restoreGroup, restoreProject } from './scheduled-deletions.service.ts'
