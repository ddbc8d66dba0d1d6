/** Access to the artifacts of a job. */

import { findProject } from '../../../access/find.ts'
import { findJobToken, reachesProject } from '../../../access/job-tokens.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import type { App } from '../../../app.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { machines } from '../../../http/declare/machines.ts'
import type { Access, Granted, ProjectGranted } from '../../../http/declare/rules.ts'
import { sentToken } from '../job-tokens/job-tokens.ts'
import { artifactOf, projectOfJob } from './artifacts.queries.ts'

/** Throws 403 for artifacts that their job restricts to members of the project. */
export function requireReader(reader: Pick<ProjectGranted, 'level'>, artifact: CiArtifact): void {
  if (!mayReadArtifact(reader, artifact)) throw forbidden()
}

export function mayReadArtifact({ level }: Pick<ProjectGranted, 'level'>, { public: is_public }: CiArtifact): boolean {
  return is_public || may('read_private_artifacts', level)
}

/** Grants the job in `:id` to a running job that may have its artifacts, by the token of the running one. */
export function dependingJob(): Access<Granted & { job_id: number; running_id: number }> {
  return {
    ...machines('the machine of a running job, by its token: for the jobs of its project, and those that its user may see'),
    async grant({ app, params, sent }) {
      const token = sentToken(sent?.headers['job-token'], sent?.query.token)
      const running_id = await requireReach(app, Number(/^\d{1,15}$/.exec(params.id ?? '')?.[0] ?? 0), token)
      return { user: null, job_id: Number(params.id), running_id }
    },
  }
}

async function requireReach(app: App, job_id: number, token: string | null): Promise<number> {
  const found = token === null ? null : await findJobToken(app.db, token)
  if (!found || !mayAct(found.user)) throw forbidden()
  const project_id = await projectOfJob(app.db, job_id)
  if (project_id === null) throw forbidden()
  if (project_id === found.job.project_id) return found.job.id
  const access = await findProject(app.db, String(project_id), found.user).catch(() => null)
  if (!access || !mayReadJobs(access) || !(await reachesProject(app.db, found.job, access.project))) throw forbidden()
  const archive = await artifactOf(app.db, job_id, 'archive')
  if (archive) requireReader(access, archive)
  return found.job.id
}
