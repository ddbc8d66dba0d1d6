/** Which jobs of a pipeline start, become manual or delayed, or are skipped, after others have changed. A pure function. */
import type { JobWhen } from '../../../ci/plan.ts'
import type { PipelineStatus } from '../../../db/tables.ts'
import { compositeOf, countedAs, hasCompleted } from './composite.ts'

export interface JobState {
  id: number
  name: string
  stage_idx: number
  status: PipelineStatus
  allow_failure: boolean
  when: JobWhen
  /** Names of jobs; null for all jobs of earlier stages. */
  needs: readonly string[] | null
}

export interface Step {
  id: number
  to: 'start' | 'manual' | 'scheduled' | 'skipped'
}

/** The results after which a job runs; those named in `needs` must also have run. */
const runsAfter: Record<JobWhen, readonly PipelineStatus[]> = {
  on_success: ['success', 'skipped'],
  manual: ['success', 'skipped'],
  delayed: ['success', 'skipped'],
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
}

/**
 * The steps of all `created` jobs whose predecessors have completed. A job that is skipped or becomes manual may unblock others: the result
 * contains everything that follows.
 * @param jobs one per name: retried ones are left out
 */
export function nextSteps(jobs: readonly JobState[]): Step[] {
  if (!jobs.some(({ status }) => status === 'created')) return []
  const steps: Step[] = []
  const now = new Map(jobs.map((job) => [job.name, { ...job }]))
  const byStage = [...now.values()].sort((one, other) => one.stage_idx - other.stage_idx)
  for (let moved = true; moved; ) {
    moved = false
    for (const [job, before] of withStagesBefore(byStage)) {
      if (job.status !== 'created') continue
      const to = stepOf(job, job.needs === null ? before : afterNeeds(job.needs, now))
      if (to === null) continue
      steps.push({ id: job.id, to })
      job.status = to === 'start' ? 'pending' : to
      moved ||= to === 'skipped' || to === 'manual'
    }
  }
  return steps
}

/** Each job with the combined status of the stages before its own. */
function* withStagesBefore(jobs: readonly JobState[]): Generator<[JobState, PipelineStatus]> {
  const earlier = new Set<ReturnType<typeof countedAs>>()
  let before: PipelineStatus = 'success'
  let stage: JobState[] = []
  for (const job of jobs) {
    if (stage[0] && stage[0].stage_idx !== job.stage_idx) {
      for (const one of stage) earlier.add(countedAs(one))
      before = compositeOf(earlier)
      stage = []
    }
    stage.push(job)
    yield [job, before]
  }
}

/** A job is skipped if one of its needs did not run, once all of them have completed. */
function afterNeeds(needs: readonly string[], jobs: ReadonlyMap<string, JobState>): PipelineStatus | 'unmet' {
  const counted = needs.flatMap((name) => {
    const job = jobs.get(name)
    return job ? [countedAs(job)] : []
  })
  if (counted.length === 0) return 'success'
  const isOpen = counted.some((one) => one !== 'warning' && one !== 'ignored' && !hasCompleted(one))
  if (isOpen) return 'running'
  return counted.some((one) => one === 'skipped' || one === 'ignored') ? 'unmet' : compositeOf(new Set(counted))
}

function stepOf({ when }: JobState, before: PipelineStatus | 'unmet'): Step['to'] | null {
  if (before === 'unmet') return when === 'always' ? 'start' : 'skipped'
  if (!hasCompleted(before)) return null
  if (!runsAfter[when].includes(before)) return 'skipped'
  return when === 'manual' ? 'manual' : when === 'delayed' ? 'scheduled' : 'start'
}
