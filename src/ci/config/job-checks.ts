/** Checks that need all jobs: stages, and references from jobs to jobs. */
import type { ConfiguredJob, ConfiguredNeed } from './config.types.ts'
import { instanceNames } from './instances.ts'

type Say = (message: string) => void

/** Reports at most one error per job, in the order of the file; then whether needs form a cycle. */
export function checkJobs(jobs: ConfiguredJob[], stages: string[], say: Say): void {
  const positions = new Map(stages.map((stage, at) => [stage, at]))
  for (const job of jobs) job.stage_idx = positions.get(job.stage) ?? -1
  const byName = namesOf(jobs)
  let isSound = true
  for (const job of jobs) {
    const wrong = wrongStage(job, stages) ?? wrongDependency(job, byName) ?? wrongNeed(job, byName) ?? wrongStop(job, byName)
    if (wrong) say(`${job.name} job: ${wrong}`)
    isSound &&= !wrong
  }
  const circle = isSound ? jobInCircle(jobs, byName) : null
  if (circle) say(`The pipeline has circular dependencies: ${circle}`)
}

/** Jobs by key, and by the names of their parallel instances. */
export function namesOf(jobs: ConfiguredJob[]): Map<string, ConfiguredJob> {
  const names = new Map<string, ConfiguredJob>()
  for (const job of jobs) if (job.parallel) for (const name of instanceNames(job)) names.set(name, job)
  for (const job of jobs) names.set(job.name, job)
  return names
}

function wrongStage(job: ConfiguredJob, stages: string[]): string | null {
  return job.stage_idx < 0 ? `stage parameter should be ${stages.join(', ')}` : null
}

type ByName = Map<string, ConfiguredJob>

function wrongDependency(job: ConfiguredJob, byName: ByName): string | null {
  for (const name of job.dependencies ?? []) {
    const dependency = byName.get(name)
    if (!dependency) return `undefined dependency: ${name}`
    if (dependency.stage_idx > job.stage_idx || (!job.needs && dependency.stage_idx === job.stage_idx))
      return `dependency ${name} is not defined in ${job.needs ? 'current or ' : ''}prior stages`
    if (job.needs && !job.needs.some((need) => byName.get(need.job) === dependency))
      return `dependencies the ${name} should be part of needs`
  }
  return null
}

/** All needs that a job may have: its own, and those of its rules. */
const needsOf = (job: ConfiguredJob): ConfiguredNeed[] => [
  ...(job.needs ?? []),
  ...(job.rules ?? []).flatMap((rule) => rule.needs?.jobs ?? []),
]

function wrongNeed(job: ConfiguredJob, byName: ByName): string | null {
  for (const need of needsOf(job)) {
    const needed = byName.get(need.job)
    if (!needed && !need.optional) return `undefined need: ${need.job}`
    if (needed && needed.stage_idx > job.stage_idx) return `need ${need.job} is not defined in current or prior stages`
  }
  const names = (job.needs ?? []).filter((need) => !need.instances).map((need) => need.job)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  return twice === undefined ? null : `has the following needs duplicated: ${twice}`
}

function wrongStop(job: ConfiguredJob, byName: ByName): string | null {
  const name = job.environment?.on_stop ?? null
  if (name === null) return null
  const stop = byName.get(name)
  if (!stop) return `on_stop job ${name} is not defined`
  if (!stop.environment) return `on_stop job ${name} does not have environment defined`
  if (stop.environment.name !== job.environment?.name) return `on_stop job ${name} have different environment name`
  return stop.environment.action === 'stop' ? null : `on_stop job ${name} needs to have action stop defined`
}

/** The name of a job that waits for itself, directly or indirectly; in linear time and without recursion. */
function jobInCircle(jobs: ConfiguredJob[], byName: ByName): string | null {
  const waiting = new Map<ConfiguredJob, number>()
  const waitedFor = new Map<ConfiguredJob, ConfiguredJob[]>()
  for (const job of jobs) {
    const needed = new Set(needsOf(job).map((need) => byName.get(need.job)))
    needed.delete(undefined)
    waiting.set(job, needed.size)
    for (const one of needed) if (one) (waitedFor.get(one) ?? waitedFor.set(one, []).get(one))?.push(job)
  }
  const free = jobs.filter((job) => waiting.get(job) === 0)
  for (let job = free.pop(); job; job = free.pop()) {
    waiting.delete(job)
    for (const next of waitedFor.get(job) ?? []) {
      const left = (waiting.get(next) ?? 0) - 1
      waiting.set(next, left)
      if (left === 0) free.push(next)
    }
  }
  const [first] = waiting.keys()
  return first?.name ?? null
}
