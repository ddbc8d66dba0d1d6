/** The URL of a deployment: from the CI file, with the variables of the job. */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { PlannedJob, PlannedVariable } from '../../../ci/plan.ts'
import { expand, expandedLookup, lookupIn } from '../../../ci/text/variables.ts'
import type { CiEnvironment, CiJob } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { predefinedVariables, requestFactsOf } from '../predefined/predefined.ts'
import { loadStoredVariables } from '../variables/variables.ts'
import { deployedBy } from './job-environments.queries.ts'

const known = (key: string, value: string): PlannedVariable => ({ key, value, raw: true })

/** Null if the job has no URL, or was deleted. */
export async function urlAfter(app: App, job_id: number): Promise<{ environment_id: number; url: string } | null> {
  const found = await deployedBy(app.db, job_id)
  if (!found) return null
  const { job, pipeline, environment } = found
  const plan = JSON.parse(job.plan) as PlannedJob
  const url = plan.environment?.url
  if (!url) return null
  const access = await findProject(app.db, String(job.project_id), everything).catch(nullIfMissing)
  if (!access) return null
  const stored = await loadStoredVariables(app.db, app.secrets, { project: access.project, protected: pipeline.protected })
  const commit = await readCommit(app.git.open(job.project_id), pipeline.sha)
  const user = pipeline.user_id === null ? null : await userById(app.db, pipeline.user_id)
  const lookup = lookupIn(
    predefinedVariables(app.config, { project: access.project, pipeline, commit, user, ...(await requestFactsOf(app.db, pipeline)) }),
    ofJob(job, plan, environment),
    plan.variables,
    stored(environment.name),
    reportedBy(app, job),
  )
  return { environment_id: environment.id, url: expand(url, expandedLookup(lookup)) }
}

function ofJob({ id }: CiJob, { name, stage }: PlannedJob, environment: CiEnvironment): PlannedVariable[] {
  return [
    known('CI_JOB_ID', String(id)),
    known('CI_JOB_NAME', name),
    known('CI_JOB_STAGE', stage),
    known('CI_ENVIRONMENT_NAME', environment.name),
    known('CI_ENVIRONMENT_SLUG', environment.slug),
  ]
}

/** Variables that the job itself reported (`artifacts:reports:dotenv`). */
function reportedBy(app: App, { dotenv }: CiJob): PlannedVariable[] {
  if (dotenv === null) return []
  const reported = JSON.parse(app.secrets.unseal(dotenv, 'ci_jobs.dotenv')) as Array<{ key: string; value: string }>
  return reported.map(({ key, value }) => known(key, value))
}
