/**
 * The variables that a job's rules see, in ascending precedence: predefined, global, of the workflow, its own, and those defined outside of
 * the file.
 */
import type { ConfiguredJob } from '../config/config.types.ts'
import type { PlanContext, PlannedVariable } from '../plan.ts'
import { expandedLookup, type Lookup, lookupIn } from '../text/variables.ts'

type Find = (name: string) => PlannedVariable | undefined

/** Looks variables up without copying the lists for each job. */
export interface Scopes {
  /** For decisions about the whole pipeline. */
  pipeline: Lookup
  job: (job: ConfiguredJob, own: PlannedVariable[], environment: string | null) => Lookup
}

export function scopesFor(context: PlanContext, globals: PlannedVariable[]): Scopes {
  const predefined = lookupIn(context.predefined)
  const outside = new Map<string | null, Find>()
  const outsideFor = (environment: string | null): Find => {
    const known = outside.get(environment) ?? lookupIn(context.variablesFor(environment))
    outside.set(environment, known)
    return known
  }
  const layered = (...layers: Find[]): Lookup =>
    expandedLookup((name) => {
      for (const find of layers) {
        const variable = find(name)
        if (variable) return variable
      }
      return undefined
    })
  const global = lookupIn(globals)
  return {
    pipeline: layered(outsideFor(null), global, predefined),
    job: (job, own, environment) => layered(outsideFor(environment), lookupIn(own), lookupIn(ownPredefined(job)), predefined),
  }
}

/** Predefined variables of a job that don't depend on its id, which it gets later. */
function ownPredefined({ name, stage }: ConfiguredJob): PlannedVariable[] {
  return [
    { key: 'CI_JOB_NAME', value: name, raw: true },
    { key: 'CI_JOB_STAGE', value: stage, raw: true },
  ]
}

/** Each key once, with its last value. */
export function mergedVariables(...lists: PlannedVariable[][]): PlannedVariable[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0)
  if (others.length === 0) return first
  const merged = new Map<string, PlannedVariable>()
  for (const list of [first, ...others]) for (const variable of list) merged.set(variable.key, variable)
  return [...merged.values()]
}
