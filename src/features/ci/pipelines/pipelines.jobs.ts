/** Creates the pipelines of pushes. */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { findRef } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { pushOptionsSealedFor } from '../../repository/pushes/pushes.ts'
import { cancelOutdated } from '../processing/processing.ts'
import { createPipeline } from './create.service.ts'
import { hasPipelineSince, outdatedBy } from './pipelines.queries.ts'
import { readPushOptions } from './push-options.ts'
import { pipelinesOf } from './request.ts'

export interface PushedRef {
  /** Short name of a branch or tag. */
  ref: string
  tag: boolean
  before: string | null
  /** For a tag, the tag object. */
  after: string
}

export interface PushToBuild {
  project_id: number
  user_id: number
  at: Instant
  refs: PushedRef[]
  /** Sealed. Absent if none were sent. */
  push_options?: string | null
}

/** Creates the pipelines of a push. Safe to repeat: none is created twice. */
export const buildPushJob: Job<PushToBuild> = job('pipelines.build_push', {
  lane: 'pipelines',
  serial: ({ project_id }) => pipelinesOf(project_id),
  asker: ({ user_id }) => user_id,
  async handle(app, push) {
    const user = await userById(app.db, push.user_id)
    const access = await findProject(app.db, String(push.project_id), everything).catch(nullIfMissing)
    if (!user || !access) return
    const { skips, wantsNone, variables, inputs } = readPushOptions(optionsOf(app, push))
    if (wantsNone) return
    for (const { ref, tag, before, after } of push.refs) {
      // Deleted meanwhile. Where it has moved, what was pushed has its pipeline all the same.
      if (!(await findRef(app.git.open(push.project_id), tag ? 'tags' : 'heads', ref))) continue
      const sha = await commitOf(app, push.project_id, after)
      if (sha === null || (await hasPipelineSince(app.db, { project_id: push.project_id, ref, sha, tag, at: push.at }))) continue
      await createPipeline(app, {
        ...{ project: access.project, ref, sha, user, skips, variables, inputs },
        ref_kind: tag ? 'tag' : 'branch',
        before_sha: before,
        source: 'push',
        save_on_errors: true,
      })
    }
  },
})

function optionsOf(app: App, { push_options = null }: PushToBuild): string[] {
  return push_options === null ? [] : JSON.parse(app.secrets.unseal(push_options, pushOptionsSealedFor))
}

function commitOf(app: App, project_id: number, oid: string): Promise<string | null> {
  return resolveCommit(app.git.open(project_id), oid)
}

/** Cancels pipelines of a ref that a newer one makes redundant, if the project wants it. */
export const cancelOutdatedJob: Job<{ pipeline_id: number }> = job('pipelines.cancel_outdated', {
  async handle(app, { pipeline_id }) {
    for (const id of await outdatedBy(app.db, pipeline_id)) await inTransaction(app.db, (tx) => cancelOutdated(tx, id))
  },
})

export const pipelineJobs: AnyJob[] = [buildPushJob, cancelOutdatedJob]
