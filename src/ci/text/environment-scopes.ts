/** Environment scopes: names in which `*` stands for any characters, and the variables that they select. */
import type { ScopedVariable } from '../plan.ts'

/** Returns whether a scope covers an environment, by name; null means no environment, which only `*` covers. */
export function matcherOfScope(scope: string): (environment: string | null) => boolean {
  if (scope === '*') return () => true
  const parts = scope.split('*')
  return (environment) => environment !== null && matches(parts, environment)
}

/**
 * Variables whose scope covers the environment (for null, those of all environments), each key once, in ascending precedence: by nearness,
 * then by scope, where an exact name wins over a wildcard, and that over `*`.
 */
export function variablesCovering<V extends ScopedVariable>(variables: V[]): (environment: string | null) => V[] {
  const rows = variables.map((variable) => ({ variable, covers: matcherOfScope(variable.environment_scope) }))
  return (environment) => {
    const covering = rows.filter(({ covers }) => covers(environment)).map(({ variable }) => variable)
    covering.sort((a, b) => a.nearness - b.nearness || rank(a, environment) - rank(b, environment) || a.id - b.id)
    const chosen = new Map<string, V>()
    for (const variable of covering) {
      // Deleted first, since a map keeps the order of first insertion and the last variable takes precedence.
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

/** Literal pieces in order, the first at the start, the last at the end: linear for any pieces. */
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
