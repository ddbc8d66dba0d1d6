/** Names in which `*` stands for anything, and a lookup of which of many rules match a name. */

/** Whether a name matches a wildcard, in which `*` stands for any characters, including slashes. Takes linear time for any pattern. */
export function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

/** Rules with the name or wildcard that each applies to. */
export interface Rules<R extends { name: string }> {
  /** Every rule whose name or wildcard matches. */
  matching: (name: string) => R[]
}

/** Plain names are looked up in a map, so that a push of many refs to a project with many rules stays fast. */
export function rulesOf<R extends { name: string }>(rows: R[]): Rules<R> {
  const plain = new Map(rows.map((rule) => [rule.name, rule]))
  const patterns = rows.filter(({ name }) => name.includes('*'))
  return {
    matching(name) {
      const fitting = patterns.filter((rule) => matchesWildcard(rule.name, name))
      const exact = plain.get(name)
      return exact && !fitting.includes(exact) ? [exact, ...fitting] : fitting
    },
  }
}
