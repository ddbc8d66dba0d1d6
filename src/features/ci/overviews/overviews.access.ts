/** Access of pages to pipelines and jobs: by project, or by id alone to follow changes. */

import { mayUse } from '../../../access/features.ts'
import { findProject, type ProjectAccess } from '../../../access/find.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import { may } from '../../../access/permissions.ts'
import { userOf } from '../../../access/principals.ts'
import { notFound } from '../../../failure.ts'
import { type Access, anyone, type Granted, only, type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { projectOfJob, projectOfPipeline } from './pipelines.queries.ts'

/** Whether they may start pipelines, and retry, cancel and play jobs; permission for a particular branch is separate (`mayRunOn`). */
export function mayRunPipelines({ project, level }: ProjectAccess): boolean {
  return mayUse('builds', { project, level }) && !project.archived && may('run_pipelines', level)
}

/** Users who may see the pipelines, jobs and traces of the project. */
export const jobReaders: Access<ProjectGranted> = only(project('visible'), {
  description: 'those who may see its jobs',
  holds: mayReadJobs,
})

const idOf = (sent: string | undefined) => (/^[1-9]\d{0,15}$/.test(sent ?? '') ? Number(sent) : 0)

function ofId(what: string, projectOf: typeof projectOfPipeline): Access<Granted> {
  return {
    ...anyone(),
    description: `Whoever may see the ${what}.`,
    async grant({ app, principal, params }) {
      const user = userOf(principal)
      const project_id = await projectOf(app.db, idOf(params.id))
      if (project_id === null) throw notFound(what)
      if (!mayReadJobs(await findProject(app.db, String(project_id), user))) throw notFound(what)
      return { user }
    },
  }
}

export const pipelineOfId = ofId('pipeline', projectOfPipeline)
export const jobOfId = ofId('job', projectOfJob)
