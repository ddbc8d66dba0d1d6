/** Pipelines for tests of pages, as rows: with stages, needs, states and traces. */
import type { PipelineStatus } from '../../src/db/tables.ts'
import type { Forge, TestProject, TestUser } from './forge.ts'
import { jobOf, type TestJob } from './jobs.ts'

export interface DrawnJob {
  name: string
  stage: string
  status: PipelineStatus
  needs?: readonly string[]
  allow_failure?: boolean
  failure_reason?: string
}

/** A pipeline of `main` with these jobs, in the order of their stages. */
export async function pipelineOf(
  forge: Forge,
  project: TestProject,
  user: TestUser,
  { status, sha, jobs }: { status: PipelineStatus; sha: string; jobs: readonly DrawnJob[] },
): Promise<{ id: number; jobs: Map<string, TestJob> }> {
  const { db } = forge.app
  const made = new Map<string, TestJob>()
  const stages = [...new Set(jobs.map(({ stage }) => stage))]
  let id: number | undefined
  for (const { name, stage, status: state, needs, allow_failure = false, failure_reason = null } of jobs) {
    const job = await jobOf(forge, project, user, {
      name,
      sha,
      status: state,
      pipeline_status: status,
      ...(id !== undefined && { pipeline_id: id }),
    })
    id = job.pipeline_id
    const change = { stage, stage_idx: stages.indexOf(stage), allow_failure, failure_reason }
    await db.updateTable('commit_statuses').set(change).where('id', '=', job.id).execute()
    const plan = {
      name,
      allow_failure,
      allow_failure_exit_codes: null,
      retry: { max: 0, when: [], exit_codes: [] },
      needs: needs?.map((need) => ({ name: need, artifacts: true })) ?? null,
      variables: [],
      options: { artifacts: null },
    }
    await db
      .updateTable('ci_jobs')
      .set({ needs: needs ? JSON.stringify(needs) : null, plan: JSON.stringify(plan) })
      .where('id', '=', job.id)
      .execute()
    made.set(name, job)
  }
  if (id === undefined) throw new Error('A pipeline has jobs')
  return { id, jobs: made }
}

/** Adds to the trace of a job, as what a runner sends. */
export async function print({ app: { db } }: Forge, job_id: number, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const found = await db.selectFrom('ci_traces').select('length').where('job_id', '=', job_id).executeTakeFirst()
  const start = found?.length ?? 0
  if (!found) await db.insertInto('ci_traces').values({ job_id, length: 0, size: null, store_key: null }).execute()
  await db.insertInto('ci_trace_chunks').values({ job_id, start, bytes }).execute()
  await db
    .updateTable('ci_traces')
    .set({ length: start + bytes.length, shown: start + bytes.length })
    .where('job_id', '=', job_id)
    .execute()
}
