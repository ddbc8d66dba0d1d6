/** Access to pipelines and their jobs, and the right to run a pipeline on a ref. */
import { mayReadJobs } from '../../../access/jobs.ts'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { authenticated, type Condition, only, type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { mayCreateTag, mayMergeInto, mayPushTo, protectionOf } from '../../repository/protected-refs/protected-refs.ts'
import { findPipeline } from './pipelines.queries.ts'
import { pipelineId } from './pipelines.schema.ts'

const jobReaders: Condition<ProjectGranted> = {
  description: 'those who can see its jobs: reporters, and with `public_jobs` everybody who can see the project',
  holds: mayReadJobs,
}

/** Requires sign-in, like the reference. */
export const jobsSeen = only(authenticated(project('visible')), jobReaders)

export const jobsRun = unarchived(using('builds', project('run_pipelines')))

interface OnRef {
  ref: string
  tag: boolean
}

type OfProject = { project: { id: number }; level: number }

/** Whether someone may run pipelines on this ref: on a protected ref, only users who may change it. */
export async function mayRunOn(app: App, granted: OfProject, on: OnRef): Promise<boolean> {
  return (await runnableRefs(app, granted))(on)
}

/** `mayRunOn` for many refs: reads the protection rules once. */
export async function runnableRefs(app: App, { project, level }: OfProject): Promise<(on: OnRef) => boolean> {
  const protection = await protectionOf(app.db, project.id)
  return ({ ref, tag }) =>
    tag ? mayCreateTag(protection, level, ref) : mayPushTo(protection, level, ref) || mayMergeInto(protection, level, ref)
}

/** Grants the pipeline in `:pipeline_id`. */
export const pipelineInPath = nested(pipelineId, async ({ project }: ProjectGranted, { pipeline_id }, app) => {
  const pipeline = await findPipeline(app.db, project.id, pipeline_id)
  if (!pipeline) throw notFound('Pipeline')
  return { pipeline }
})

const ofItsRef: Condition<ProjectGranted & { pipeline: OnRef }> = {
  description: 'those who may change its branch or tag',
  holds: ({ project, level, pipeline }, { app }) => mayRunOn(app, { project, level }, pipeline),
}

export const pipelineChanged = only(within(jobsRun, pipelineInPath), ofItsRef)
export const pipelineDeleted = within(project('delete_pipelines'), pipelineInPath)
