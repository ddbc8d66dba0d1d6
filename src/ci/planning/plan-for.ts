/** Plans a pipeline from a configuration: which jobs it has, and with what. */
import type { Config, ConfiguredJob, Rule } from '../config/config.types.ts'
import { namesOf } from '../config/job-checks.ts'
import type { Plan, PlanContext, Planned, PlannedJob, PlannedVariable } from '../plan.ts'
import { createPatterns, type Patterns, PatternsTooCostly } from '../text/patterns.ts'
import { expand } from '../text/variables.ts'
import type { ChosenJob } from './chosen-job.ts'
import { isLetIn, matchingRule } from './decide.ts'
import { type Facts, factsFor } from './facts.ts'
import { mergedVariables, type Scopes, scopesFor } from './job-scope.ts'
import { connectJobs } from './needs.ts'
import { plannedJobs } from './planned-jobs.ts'

/** Includes instances of parallel jobs. */
export const maxPlannedJobs = 10_000

const filteredOut = 'Pipeline filtered out by workflow rules.'
const noJobs = 'No stages / jobs for this pipeline.'

/**
 * Decides what is part of a pipeline. It looks facts up only through the functions of the context, each of them once, and rejects only if
 * one of these does.
 */
export async function planFor(config: Config, context: PlanContext, patterns: Patterns = createPatterns()): Promise<Planned> {
  try {
    return await decide(config, context, patterns)
  } catch (error) {
    if (error instanceof PatternsTooCostly) return { outcome: 'invalid', errors: [error.message] }
    throw error
  }
}

async function decide(config: Config, context: PlanContext, patterns: Patterns): Promise<Planned> {
  const rules = [config.workflow.rules ?? [], ...config.jobs.map((job) => job.rules ?? [])].flat()
  const policies = config.jobs.flatMap(({ only, except }) => [only, except].filter((policy) => policy !== null))
  const { pipeline } = scopesFor(context, config.variables)
  const facts = await factsFor(rules, policies, { context, lookup: pipeline, patterns })
  const workflow = config.workflow.rules && matchingRule(config.workflow.rules, facts, pipeline)
  if (config.workflow.rules && (!workflow || workflow.when === 'never')) return { outcome: 'filtered', message: filteredOut }
  const ofWorkflow = workflow?.variables ?? []
  const scopes = scopesFor(context, mergedVariables(config.variables, ofWorkflow))
  const chosen = config.jobs.flatMap((job) => choose(job, ofWorkflow, context, facts, scopes) ?? [])
  // A pipeline that only has jobs in these stages is empty.
  if (chosen.every(({ job }) => job.stage === '.pre' || job.stage === '.post')) return { outcome: 'empty', message: noJobs }
  const size = chosen.reduce((sum, { job }) => sum + (job.parallel?.instances.length ?? 1), 0)
  if (size > maxPlannedJobs) return { outcome: 'invalid', errors: [`The number of jobs has exceeded the limit of ${maxPlannedJobs}`] }
  return planOf(config, chosen, workflow, scopes)
}

function planOf(config: Config, chosen: ChosenJob[], workflow: Rule | null, scopes: Scopes): Planned {
  const planned = new Map(chosen.map((one) => [one.job.name, plannedJobs(one, scopes)]))
  const errors = connectJobs(chosen, planned, namesOf(config.jobs))
  if (errors.length > 0) return { outcome: 'invalid', errors }
  const jobs = [...planned.values()].flat()
  // Sorting is stable, so the order of the file is kept within a stage.
  jobs.sort((one, other) => one.stage_idx - other.stage_idx)
  const name = config.workflow.name === null ? '' : expand(config.workflow.name, scopes.pipeline).trim()
  const auto_cancel: Plan['auto_cancel'] = {
    on_new_commit: 'conservative',
    on_job_failure: 'none',
    ...config.workflow.auto_cancel,
    ...workflow?.auto_cancel,
  }
  return { outcome: 'planned', plan: { name: name.slice(0, 255) || null, auto_cancel, stages: stagesOf(jobs), jobs, warnings: [] } }
}

function stagesOf(jobs: PlannedJob[]): Plan['stages'] {
  const stages = new Map(jobs.map(({ stage, stage_idx }) => [stage, stage_idx]))
  return [...stages].map(([name, position]) => ({ name, position }))
}

/** Null for a job that isn't part of this pipeline. */
function choose(job: ConfiguredJob, ofWorkflow: PlannedVariable[], context: PlanContext, facts: Facts, scopes: Scopes): ChosenJob | null {
  const variables = mergedVariables(inheritedOf(job, ofWorkflow), job.variables)
  const needsLookup = job.rules !== null || job.only?.variables || job.except?.variables || job.only?.changes || job.except?.changes
  const lookup = needsLookup ? scopes.job(job, variables, environmentOf(job, variables, scopes)) : scopes.pipeline
  if (!job.rules) return isLetIn(job.only, job.except, context, facts, lookup) ? { job, rule: null, variables } : null
  const rule = matchingRule(job.rules, facts, lookup)
  if (!rule || (rule.when ?? job.when) === 'never') return null
  // A workflow's or only's defaults are gone where there are rules; what is left of them was written beside.
  return { job, rule, variables: mergedVariables(variables, rule.variables) }
}

/** The global variables it inherits, as changed by the workflow. */
function inheritedOf(job: ConfiguredJob, ofWorkflow: PlannedVariable[]): PlannedVariable[] {
  return ofWorkflow.length === 0 ? job.inherited_variables : mergedVariables(job.inherited_variables, ofWorkflow)
}

function environmentOf(job: ConfiguredJob, variables: PlannedVariable[], scopes: Scopes): string | null {
  return job.environment && expand(job.environment.name, scopes.job(job, variables, null))
}
