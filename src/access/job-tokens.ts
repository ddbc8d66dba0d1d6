/** Job tokens, with which a running job authenticates as the user who started it. They expire with the job. */
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { Project, User } from '../db/tables.ts'
import { noteActivity } from './activity.ts'
import { isOn } from './features.ts'
import { mayAct } from './states.ts'
import { termsInForce } from './terms.ts'
import { digestOf } from './tokens.ts'

/** A running job as the owner of a token. */
export interface TokenJob {
  id: number
  project_id: number
  pipeline_id: number
}

export interface FoundJobToken {
  job: TokenJob
  user: User
  /** Digest of the current terms as JSON; null if none are enforced. */
  terms_in_force: string | null
}

/** The running job and the user who started it; null if the token is unknown, the job has ended, or the user is gone. */
export async function findJobToken(db: Db, secret: string): Promise<FoundJobToken | null> {
  const [found] = await jobByDigest(db, digestOf(secret))
  if (!found || !isOn(found.builds_access_level)) return null
  if (mayAct(found.user)) await noteActivity(db, found.user)
  return found
}

const jobByDigest = prepared(
  (db: Db, digest: string) =>
    db
      .selectFrom('ci_jobs')
      .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_jobs.id')
      .innerJoin('projects', 'projects.id', 'ci_jobs.project_id')
      .innerJoin('users', 'users.id', 'commit_statuses.author_id')
      .selectAll('users')
      .select(['ci_jobs.id as job_id', 'ci_jobs.project_id as job_project_id', 'ci_jobs.pipeline_id', 'projects.builds_access_level'])
      .select(termsInForce(db))
      .where('ci_jobs.token_digest', '=', digest)
      .where('commit_statuses.status', '=', 'running'),
  ({ job_id, job_project_id, pipeline_id, builds_access_level, terms_in_force, ...user }) => ({
    job: { id: job_id, project_id: job_project_id, pipeline_id },
    user,
    builds_access_level,
    terms_in_force,
  }),
)

const allowedProject = prepared((db: Db, project_id: number, allowed_project_id: number) =>
  db
    .selectFrom('ci_job_token_projects')
    .select('project_id')
    .where('project_id', '=', project_id)
    .where('allowed_project_id', '=', allowed_project_id),
)

const allowedGroup = prepared((db: Db, project_id: number, job_project_id: number) =>
  db
    .selectFrom('ci_job_token_groups')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'ci_job_token_groups.allowed_namespace_id')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_ancestors.namespace_id')
    .select('ci_job_token_groups.project_id')
    .where('ci_job_token_groups.project_id', '=', project_id)
    .where('projects.id', '=', job_project_id)
    .limit(1),
)

/**
 * Whether job tokens of this job are accepted in the project: it is the job's own project, it has no restriction, or its allow list
 * contains the job's project or a group above that. Otherwise the job counts as anonymous.
 */
export async function reachesProject(db: Db, job: TokenJob, project: Pick<Project, 'id' | 'job_token_scope_enabled'>): Promise<boolean> {
  if (project.id === job.project_id || !project.job_token_scope_enabled) return true
  if ((await allowedProject(db, project.id, job.project_id)).length > 0) return true
  return (await allowedGroup(db, project.id, job.project_id)).length > 0
}
