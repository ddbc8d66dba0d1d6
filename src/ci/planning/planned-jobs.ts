/** Converts a job of the file to planned jobs: itself, or its parallel instances. */
import type { ConfiguredJob } from '../config/config.types.ts'
import { instanceNames } from '../config/instances.ts'
import type { PlainValue, PlannedJob, PlannedVariable } from '../plan.ts'
import { expand, type Lookup } from '../text/variables.ts'
import type { ChosenJob } from './chosen-job.ts'
import { mergedVariables, type Scopes } from './job-scope.ts'

/** Leaves out `needs`, `dependencies` and `on_stop`, which refer to other jobs. */
export function plannedJobs(chosen: ChosenJob, scopes: Scopes): PlannedJob[] {
  const { job, variables } = chosen
  const names = instanceNames(job)
  return names.map((name, at) => {
    const own = job.parallel?.instances[at] ?? []
    const parallel = job.parallel && { index: at + 1, total: names.length }
    return plannedJob(chosen, name, mergedVariables(variables, own), parallel, scopes)
  })
}

function plannedJob(
  { job, rule }: ChosenJob,
  name: string,
  variables: PlannedVariable[],
  parallel: PlannedJob['parallel'],
  scopes: Scopes,
): PlannedJob {
  const lookups = lookupsFor({ ...job, name }, variables, scopes)
  const environment = job.environment && plannedEnvironment(job.environment, lookups)
  const { allow_failure, allow_failure_exit_codes } = allowedFailure({ job, rule })
  const { coverage, retry, timeout_s, options, manual_confirmation } = job
  return {
    name,
    base_name: job.name,
    stage: job.stage,
    stage_idx: job.stage_idx,
    when: whenOf({ job, rule }),
    allow_failure,
    allow_failure_exit_codes,
    start_in_s: rule?.when ? rule.start_in_s : job.start_in_s,
    tags: job.tags.map((tag) => (tag.includes('$') ? expand(tag, lookups().job) : tag)),
    needs: null,
    dependencies: null,
    variables,
    environment,
    coverage,
    retry,
    timeout_s,
    interruptible: rule?.interruptible ?? job.interruptible,
    resource_group: job.resource_group && expand(job.resource_group, lookups().environment(environment?.name ?? null)),
    parallel,
    trigger: job.trigger && plannedTrigger(job.trigger, lookups().job),
    manual_confirmation,
    options: options.cross_dependencies.length > 0 || rule?.needs ? withCrossNeeds({ job, rule }) : options,
  }
}

interface Lookups {
  job: Lookup
  environment: (name: string | null) => Lookup
}

/** Created only for jobs with something to expand. */
function lookupsFor(job: ConfiguredJob, variables: PlannedVariable[], scopes: Scopes): () => Lookups {
  let made: Lookups | null = null
  return () => {
    made ??= { job: scopes.job(job, variables, null), environment: (name) => scopes.job(job, variables, name) }
    return made
  }
}

type Decided = Pick<ChosenJob, 'job' | 'rule'>

function whenOf({ job, rule }: Decided): PlannedJob['when'] {
  const when = rule?.when ?? job.when
  return when === 'never' ? job.when : when
}

/** Manual jobs may fail or be skipped, unless rules make them manual. */
function allowedFailure({ job, rule }: Decided): Pick<PlannedJob, 'allow_failure' | 'allow_failure_exit_codes'> {
  const said = rule?.allow_failure ?? job.allow_failure
  if (said === null)
    return { allow_failure: job.when === 'manual' && (rule?.when ?? 'manual') === 'manual', allow_failure_exit_codes: null }
  if (typeof said === 'boolean') return { allow_failure: said, allow_failure_exit_codes: null }
  return { allow_failure: false, allow_failure_exit_codes: said.exit_codes }
}

function plannedEnvironment(environment: NonNullable<ConfiguredJob['environment']>, lookups: () => Lookups): PlannedJob['environment'] {
  const { name, url, action, auto_stop_in_s, deployment_tier } = environment
  const expanded = name.includes('$') ? expand(name, lookups().job) : name
  return { name: expanded, name_template: name, url, action, on_stop: null, auto_stop_in_s, deployment_tier }
}

function plannedTrigger(trigger: NonNullable<ConfiguredJob['trigger']>, lookup: Lookup): PlannedJob['trigger'] {
  return {
    ...trigger,
    project: trigger.project && expand(trigger.project, lookup),
    branch: trigger.branch && expand(trigger.branch, lookup),
    inputs: Object.fromEntries(Object.entries(trigger.inputs).map(([name, value]) => [name, expandedValue(value, lookup)])),
  }
}

function expandedValue(value: PlainValue, lookup: Lookup): PlainValue {
  if (Array.isArray(value)) return value.map((one) => expandedValue(one, lookup))
  return typeof value === 'string' ? expand(value, lookup) : value
}

function withCrossNeeds({ job, rule }: Decided): PlannedJob['options'] {
  return { ...job.options, cross_dependencies: rule?.needs ? rule.needs.cross : job.options.cross_dependencies }
}
