/** How much rules may name in all: every reply about the rules of a merge request shows all of it. */
import { invalid } from '../../../failure.ts'
import type { Names, NamingRule } from './approval-rules.queries.ts'

const most: Record<keyof Names, number> = { user_ids: 10_000, group_ids: 1_000, protected_branch_ids: 10_000 }

/**
 * Throws 400 if the rules of a project, or of a merge request, name too much with what this one is to name.
 * @param before the rule as it is: one that names no more than that is never refused
 */
export function assertRoom(rules: readonly NamingRule[], before: NamingRule | null, names: Names): void {
  for (const key of Object.keys(most) as Array<keyof Names>) {
    const wanted = names[key]?.length ?? 0
    if (wanted <= (before?.[key].length ?? 0)) continue
    const inAll = rules.reduce((sum, rule) => sum + (rule.id === before?.id ? 0 : rule[key].length), wanted)
    if (inAll > most[key]) throw invalid({ [key]: [`The rules can name at most ${most[key]} in all`] })
  }
}
