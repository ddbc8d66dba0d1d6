/** Access to the jobs of a project, and to the job that a path names. */
import { mayReadJobs } from '../../../access/jobs.ts'
import { may } from '../../../access/permissions.ts'
import type { Db } from '../../../db/database.ts'
import type { CiJob, CommitStatus } from '../../../db/tables.ts'
import { forbidden, missing } from '../../../failure.ts'
import { type Access, type Condition, only, type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { nested } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { jobAt } from './job-access.queries.ts'

const readers: Condition<ProjectGranted> = {
  description: 'reporters, and everybody who can see the project if its jobs are public',
  holds: mayReadJobs,
}

/** Grants the project in `:id` to users who may see its jobs. */
export function jobReaders(): Access<ProjectGranted> {
  return only(project('visible'), readers)
}

export interface JobGranted {
  job: { status: CommitStatus; row: CiJob }
}

/** Grants the job in `:job_id` of the project. */
export const jobInProject = nested(
  { job_id: Id },
  async ({ project }: ProjectGranted, { job_id }, app): Promise<JobGranted> => ({ job: await requireJob(app.db, project.id, job_id) }),
)

/** As `jobInProject`, for users who may read its trace. */
export const traceInProject = nested({ job_id: Id }, async ({ project, level }: ProjectGranted, { job_id }, app): Promise<JobGranted> => {
  const job = await requireJob(app.db, project.id, job_id)
  if (!mayReadTrace({ level }, job.row)) throw forbidden()
  return { job }
})

/** A trace that contains all variables is only for users who could read them with a job of their own. */
export function mayReadTrace({ level }: Pick<ProjectGranted, 'level'>, { prints_variables }: Pick<CiJob, 'prints_variables'>): boolean {
  return !prints_variables || may('run_pipelines', level)
}

export const developers: Condition<ProjectGranted> = {
  description: 'developers',
  holds: ({ level }) => may('run_pipelines', level),
}

async function requireJob(db: Db, project_id: number, id: number): Promise<JobGranted['job']> {
  const found = await jobAt(db, project_id, id)
  if (!found) throw missing()
  return found
}
