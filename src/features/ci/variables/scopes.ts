/** Scopes of environments: names in which `*` stands for any characters. */

/** Whether a scope covers an environment, by its name; null stands for no environment, which `*` alone covers. */
export function matcherOfScope(scope: string): (environment: string | null) => boolean {
  if (scope === '*') return () => true
  const parts = scope.split('*')
  return (environment) => environment !== null && matches(parts, environment)
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
