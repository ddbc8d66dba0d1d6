/** Changes to the artifacts of a job; separate from reading them, since the reply is the job. */
import { missing } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { keepArtifacts } from '../artifacts/artifacts.ts'
import { jobInProject } from '../job-access/job-access.ts'
import { Job } from '../jobs/jobs.schema.ts'
import { findShownJob, presentJobs } from '../jobs/jobs.ts'

export const artifactWrites = [
  endpoint('POST /projects/:id/jobs/:job_id/artifacts/keep', {
    summary: 'Keep the artifacts of a job from expiring',
    access: within(project('keep_artifacts'), jobInProject),
    reply: Job,
    status: 200,
    async handle({ app, project, repo, user, job }) {
      await keepArtifacts(app, job.row.id)
      const shown = await findShownJob(app.db, project.id, job.row.id, ['job'])
      const [presented] = shown ? await presentJobs(app, { user, project, repo }, [shown]) : []
      if (!presented) throw missing()
      return presented
    },
  }),
]
