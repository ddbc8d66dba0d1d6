/** CI files in tests: parsed and planned for a push to `main`, unless said otherwise. */
import { expect } from 'vitest'
import type { IncludeLoader, KnownVariable, Plan, PlanContext, Planned, PlannedJob } from '../../src/ci/plan.ts'
import { type Config, parseConfig, planFor } from '../../src/ci/planning/planning.ts'

export const variable = (key: string, value: string): KnownVariable => ({ key, value, raw: false, file: false })

export function contextOf(given: Partial<PlanContext> = {}): PlanContext {
  return {
    source: 'push',
    ref: 'main',
    ref_kind: 'branch',
    project_path: 'group/project',
    predefined: [],
    variablesFor: () => [],
    changedPaths: async () => null,
    files: async () => [],
    ...given,
  }
}

/** Files by their names; each is local, of a project, a template or at a URL. */
export function loaderOf(files: Record<string, string>): IncludeLoader {
  return async (entry) => {
    const name = entry.kind === 'remote' ? entry.url : entry.file
    const text = files[name]
    return text === undefined ? { error: `Local file \`${name}\` does not exist!` } : { file: { location: name, text, origin: null } }
  }
}

export const errorsOf = async (text: string, files: Record<string, string> = {}, given: Partial<PlanContext> = {}) => {
  const parsed = await parseConfig(text, loaderOf(files), contextOf(given))
  return 'errors' in parsed ? parsed.errors : []
}

export async function configOf(text: string, files: Record<string, string> = {}, given: Partial<PlanContext> = {}): Promise<Config> {
  const parsed = await parseConfig(text, loaderOf(files), contextOf(given))
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  return parsed.config
}

export async function plannedOf(text: string, given: Partial<PlanContext> = {}): Promise<Planned> {
  return planFor(await configOf(text, {}, given), contextOf(given))
}

export async function planOf(text: string, given: Partial<PlanContext> = {}): Promise<Plan> {
  const planned = await plannedOf(text, given)
  if (planned.outcome !== 'planned') throw new Error(JSON.stringify(planned))
  return planned.plan
}

export async function jobsOf(text: string, given: Partial<PlanContext> = {}): Promise<Record<string, PlannedJob>> {
  const { jobs } = await planOf(text, given)
  return Object.fromEntries(jobs.map((job) => [job.name, job]))
}

/** The names of the jobs of the pipeline; empty where there is none. */
export async function namesIn(text: string, given: Partial<PlanContext> = {}): Promise<string[]> {
  const planned = await plannedOf(text, given)
  return planned.outcome === 'planned' ? planned.plan.jobs.map(({ name }) => name) : []
}

export async function expectErrors(text: string, ...errors: string[]): Promise<void> {
  expect(await errorsOf(text)).toEqual(errors)
}
