/** Access to the jobs of a project, with their traces and artifacts. */
import type { Project } from '../db/tables.ts'
import { mayUse } from './features.ts'
import { may } from './permissions.ts'

/**
 * Whether a user who can see the project may see its pipelines and jobs: members from reporter up; everyone if jobs are public.
 * @param level the access level in the project, 0 if not a member
 */
export function mayReadJobs(access: { project: Project; level: number }): boolean {
  return mayUse('builds', access) && (may('read_jobs', access.level) || access.project.public_jobs)
}
