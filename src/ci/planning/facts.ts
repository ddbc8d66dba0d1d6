/** The facts about files that rules need, looked up before anything is decided, so that deciding is synchronous. */
import type { Policy, Rule } from '../config/config.types.ts'
import type { PlanContext } from '../plan.ts'
import type { Patterns } from '../text/patterns.ts'
import { expand, type Lookup } from '../text/variables.ts'

export interface Facts {
  /** Whether one of these globs matches a changed path. */
  changed: (globs: string[], compareTo: string | null) => boolean
  /** Whether one of these globs matches a file. */
  exists: (globs: string[]) => boolean
  patterns: Patterns
}

/** The context that facts are gathered for. `lookup` resolves variables in the names to compare with. */
export interface Asked {
  context: PlanContext
  lookup: Lookup
  patterns: Patterns
}

/** Facts for all of these rules and policies. */
export async function factsFor(rules: Rule[], policies: Policy[], { context, lookup, patterns }: Asked): Promise<Facts> {
  const asked = new Set(rules.flatMap(({ changes }) => (changes ? [comparedTo(changes.compare_to, lookup)] : [])))
  if (policies.some(({ changes }) => changes)) asked.add(null)
  const changes = new Map<string | null, string[] | null>()
  for (const compareTo of asked) changes.set(compareTo, await context.changedPaths(compareTo))
  const files = rules.some(({ exists }) => exists) ? await context.files() : []
  const matches = remembered(patterns)
  return {
    patterns,
    changed: (globs, compareTo) => {
      const name = comparedTo(compareTo, lookup)
      const paths = changes.get(name) ?? null
      return paths === null || matches(`changes ${name ?? ''}`, globs, paths)
    },
    exists: (globs) => globs.length > 0 && (files === null || matches('exists', globs, files)),
  }
}

const comparedTo = (name: string | null, lookup: Lookup) => (name === null ? null : expand(name, lookup))

/** Many jobs ask about the same files. */
function remembered({ matchesAny }: Patterns): (about: string, globs: string[], paths: string[]) => boolean {
  const known = new Map<string, boolean>()
  return (about, globs, paths) => {
    const key = `${about}\0${globs.join('\0')}`
    const answer = known.get(key) ?? matchesAny(globs, paths)
    known.set(key, answer)
    return answer
  }
}
