/** Looking up which of many rules fit a name; in the name of a rule `*` stands for anything. */
import { matchesPattern } from '../../../wildcards.ts'

/** Rules by the name they are for. */
export interface Rules<R extends { name: string }> {
  /** Every rule whose name or pattern fits. */
  matching: (name: string) => R[]
}

/** Plain names are looked up, so that a push of many refs to a project with many rules stays quick. */
export function rulesOf<R extends { name: string }>(rows: R[]): Rules<R> {
  const plain = new Map(rows.map((rule) => [rule.name, rule]))
  const patterns = rows.filter(({ name }) => name.includes('*'))
  return {
    matching(name) {
      const fitting = patterns.filter((rule) => matchesPattern(rule.name, name))
      const exact = plain.get(name)
      return exact && !fitting.includes(exact) ? [exact, ...fitting] : fitting
    },
  }
}
