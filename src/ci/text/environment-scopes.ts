/** Scopes of environments: names in which `*` stands for any characters, and which variables they let through. */
import type { ScopedVariable } from '../plan.ts'

/** Whether a scope covers an environment, by its name; null stands for no environment, which `*` alone covers. */
export function matcherOfScope(scope: string): (environment: string | null) => boolean {
  if (scope === '*') return () => true
  const parts = scope.split('*')
  return (environment) => environment !== null && matches(parts, environment)
}

/**
 * Those whose scope covers an environment (for null those of all environments), each key once, in ascending precedence: as they are
 * near, and of one place the scope that names the environment wins over one with a wildcard, and that over `*`.
 */
export function variablesCovering<V extends ScopedVariable>(variables: V[]): (environment: string | null) => V[] {
  const rows = variables.map((variable) => ({ variable, covers: matcherOfScope(variable.environment_scope) }))
  return (environment) => {
    const covering = rows.filter(({ covers }) => covers(environment)).map(({ variable }) => variable)
    covering.sort((a, b) => a.nearness - b.nearness || rank(a, environment) - rank(b, environment) || a.id - b.id)
    const chosen = new Map<string, V>()
    for (const variable of covering) {
      // Deleted first: the order of a map is that of insertion, and the last one has precedence.
      chosen.delete(variable.key)
      chosen.set(variable.key, variable)
    }
    return [...chosen.values()]
  }
}

function rank({ environment_scope }: ScopedVariable, environment: string | null): number {
  if (environment_scope === environment) return 2
  return environment_scope === '*' ? 0 : 1
}

/** Literal pieces in their order, the first at the start, the last at the end: linear, whatever the pieces are. */
function matches(parts: string[], text: string): boolean {
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return text === first
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  const end = text.length - last.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
