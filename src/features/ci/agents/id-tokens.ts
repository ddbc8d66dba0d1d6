/** The claims of a job's id token: those of the reference, so that rules written for its tokens also work here. Pure. */
import type { JWTPayload } from 'jose'
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { PlannedEnvironment } from '../../../ci/plan.ts'
import type { Config } from '../../../config.ts'
import type { CiEnvironment, CommitStatus, MergeRequest, Pipeline, User } from '../../../db/tables.ts'
import { shownRef } from '../predefined/predefined.ts'

export interface IdTokenFacts {
  project: LocatedProject
  pipeline: Pick<Pipeline, 'id' | 'ref' | 'sha' | 'tag' | 'protected' | 'source'>
  merge_request: MergeRequest | null
  status: Pick<CommitStatus, 'id'>
  runner_id: number
  /** The user as whom the job runs, and their access level in the project. */
  user: User | null
  user_level: number
  environment: Pick<CiEnvironment, 'name' | 'tier'> | null
  planned_environment: PlannedEnvironment | null
  timeout_s: number
}

/** The clocks of other services may be behind. */
const skew_s = 5

/** Numbers are strings, as in the reference's tokens. The token expires when the job must have ended. */
export function claimsOfJob(config: Config, facts: IdTokenFacts, given: { id: string; aud: string[]; issued_s: number }): JWTPayload {
  const { project, pipeline, merge_request, status, runner_id, timeout_s } = facts
  const [only = '', ...others] = given.aud
  const aud = others.length === 0 ? only : given.aud
  const ref = shownRef(pipeline, merge_request)
  const ref_type = pipeline.tag ? 'tag' : 'branch'
  const ref_path = merge_request ? pipeline.ref : `refs/${pipeline.tag ? 'tags' : 'heads'}/${ref}`
  const file = project.ci_config_path || '.gitlab-ci.yml'
  // If the CI file is elsewhere, its commit is not the one of the pipeline.
  const isHere = !/^https?:|@/.test(file)
  return {
    namespace_id: String(project.namespace_id),
    namespace_path: project.namespace_full_path,
    project_id: String(project.id),
    project_path: project.full_path,
    project_visibility: project.visibility,
    ...ofUser(facts),
    pipeline_id: String(pipeline.id),
    pipeline_source: pipeline.source,
    job_id: String(status.id),
    ref,
    ref_type,
    ref_path,
    ref_protected: String(pipeline.protected),
    ...ofEnvironment(facts),
    runner_id,
    runner_environment: 'self-hosted',
    sha: pipeline.sha,
    ci_config_ref_uri: isHere ? `${new URL(config.url).host}/${project.full_path}//${file}@${ref_path}` : null,
    ci_config_sha: isHere ? pipeline.sha : null,
    iss: config.url,
    sub: `project_path:${project.full_path}:ref_type:${ref_type}:ref:${ref}`,
    aud,
    jti: given.id,
    iat: given.issued_s,
    nbf: given.issued_s - skew_s,
    exp: given.issued_s + timeout_s,
  }
}

function ofUser({ user, user_level }: IdTokenFacts) {
  if (!user) return {}
  const role = Object.entries(accessLevels).findLast(([, level]) => level <= user_level)?.[0] ?? null
  return { user_id: String(user.id), user_login: user.username, user_email: user.email, user_access_level: role }
}

function ofEnvironment({ environment, planned_environment: planned }: IdTokenFacts) {
  if (!planned) return {}
  return {
    environment: environment?.name ?? planned.name,
    environment_protected: 'false',
    deployment_tier: environment?.tier ?? planned.deployment_tier ?? 'other',
    environment_action: planned.action,
  }
}
