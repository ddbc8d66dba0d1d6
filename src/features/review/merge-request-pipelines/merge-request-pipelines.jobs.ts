/** Creates pipelines of merge requests when they are opened, when their source branch moves, and when they get another target. */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { createPipeline, pipelinesOf } from '../../ci/pipelines/pipelines.ts'
import { mergeRequestById } from '../merge-requests/merge-requests.ts'
import { pipelineRequestOf } from './building.service.ts'
import { hasPipelineFor } from './merge-request-pipelines.queries.ts'

interface ToBuild {
  project_id: number
  merge_request_id: number
  user_id: number
}

/**
 * Runs in the target project. Also for one from a fork, if the user who pushed may run pipelines there: they know what they run with the
 * variables of this project, of which pipelines of merge requests don't get the protected ones. Pushes of others run only in the fork. Safe
 * to repeat: none is created twice for a commit.
 */
export const buildMergeRequestJob: Job<ToBuild> = job('pipelines.build_merge_request', {
  lane: 'pipelines',
  serial: ({ project_id }) => pipelinesOf(project_id),
  asker: ({ user_id }) => user_id,
  async handle(app, { merge_request_id, user_id }) {
    const merge_request = await mergeRequestById(app.db, merge_request_id)
    if (merge_request?.state !== 'opened') return
    const user = await userById(app.db, user_id)
    const access = await findProject(app.db, String(merge_request.project_id), everything).catch(nullIfMissing)
    const asked = user && access && (await pipelineRequestOf(app, access.project, merge_request, user))
    if (!asked || (await hasPipelineFor(app.db, merge_request_id, asked.sha))) return
    await createPipeline(app, asked)
  },
})
