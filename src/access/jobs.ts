/** Access to the jobs of a project, with their traces and artifacts. */
import type { Project } from '../db/tables.ts'
import { holds } from './rule.ts'
import { jobRule } from './rules.ts'

/**
 * Whether a user who can see the project may see its pipelines and jobs.
 * @param level the access level in the project, 0 if not a member
 */
export function mayReadJobs(access: { project: Project; level: number }): boolean {
  return holds(jobRule, access, null, access.project)
}
