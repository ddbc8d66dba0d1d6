/** Connects the jobs of a plan: which jobs they wait for, whose artifacts they get, which job stops their environment. */
import type { ConfiguredJob, ConfiguredNeed } from '../config/config.types.ts'
import { instanceNames } from '../config/instances.ts'
import type { PlannedJob, PlannedNeed, PlannedVariable } from '../plan.ts'
import type { ChosenJob } from './chosen-job.ts'

/** With instances of parallel jobs, a few lines can make a graph of millions of edges. */
const maxNeeds = 100_000

type Planned = Map<string, PlannedJob[]>
type ByName = Map<string, ConfiguredJob>

/** Changes the planned jobs. Errors name jobs that need others which aren't part of this pipeline. */
export function connectJobs(chosen: ChosenJob[], planned: Planned, byName: ByName): string[] {
  const errors: string[] = []
  let left = maxNeeds
  for (const one of chosen) {
    const jobs = planned.get(one.job.name) ?? []
    const needs = needsOf(one, planned, byName, errors)
    const dependencies = one.job.dependencies?.flatMap((name) => instancesOf(name, planned, byName)).map(({ name }) => name) ?? null
    const on_stop = stopperOf(one.job, planned, byName)
    left -= (needs?.length ?? 0) * jobs.length
    if (left < 0) return [`The pipeline has too many needs (maximum is ${maxNeeds})`]
    for (const job of jobs) {
      job.needs = needs
      job.dependencies = dependencies
      if (job.environment) job.environment.on_stop = on_stop
    }
  }
  return errors
}

function needsOf({ job, rule }: ChosenJob, planned: Planned, byName: ByName, errors: string[]): PlannedNeed[] | null {
  const wanted = rule?.needs?.jobs ?? job.needs
  if (!wanted) return null
  const needs = new Map<string, PlannedNeed>()
  for (const need of wanted) {
    const found = need.instances ? instancesWith(need, planned, byName) : instancesOf(need.job, planned, byName)
    if (found.length === 0 && !need.optional && errors.length < 100) errors.push(missing(job.name, need.job))
    for (const { name } of found) needs.set(name, { name, artifacts: need.artifacts })
  }
  return [...needs.values()]
}

const missing = (name: string, need: string) =>
  `'${name}' job needs '${need}' job, but '${need}' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.`

/** The planned jobs with a name in the file: that of a job, or of one of its parallel instances. */
function instancesOf(name: string, planned: Planned, byName: ByName): PlannedJob[] {
  const job = byName.get(name)
  if (!job) return []
  const jobs = planned.get(job.name) ?? []
  return job.name === name ? jobs : jobs.filter((one) => one.name === name)
}

/** `needs:parallel:matrix`. */
function instancesWith({ job: name, instances }: ConfiguredNeed, planned: Planned, byName: ByName): PlannedJob[] {
  const job = byName.get(name)
  if (!job?.parallel || !instances) return []
  const names = instanceNames(job)
  const wanted = new Set(instances.map(keyOf))
  const fitting = new Set(job.parallel.instances.flatMap((variables, at) => (wanted.has(keyOf(variables)) ? [names[at]] : [])))
  return (planned.get(job.name) ?? []).filter((one) => fitting.has(one.name))
}

const keyOf = (variables: PlannedVariable[]) =>
  variables
    .map(({ key, value }) => `${key}=${value}`)
    .sort()
    .join('\0')

function stopperOf({ environment }: ConfiguredJob, planned: Planned, byName: ByName): string | null {
  const [stopper] = environment?.on_stop ? instancesOf(environment.on_stop, planned, byName) : []
  return stopper?.name ?? null
}
