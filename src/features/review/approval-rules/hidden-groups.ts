/** Hides the members of groups that a viewer can't see: a rule never shows users whom it only names by such groups. */
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { ShownRule } from './approval-rules.queries.ts'
import { membersOfGroups, type NamedGroup, visibleGroups } from './people.queries.ts'

export interface Shown<R> {
  /** The groups of the rules that the viewer can see. */
  groups: NamedGroup[]
  /** The users who can approve for the rule, without those hidden from the viewer. */
  toldOf: (rule: R, eligible: readonly number[]) => number[]
}

/** One statement, and one more if a rule names a group that the viewer can't see. */
export async function shownTo<R extends Pick<ShownRule, 'user_ids' | 'group_ids'>>(
  db: Db,
  viewer: Viewer,
  rules: readonly R[],
): Promise<Shown<R>> {
  const groups = await visibleGroups(db, viewer, [...new Set(rules.flatMap(({ group_ids }) => group_ids))])
  const seen = new Set(groups.map(({ id }) => id))
  const hidesSome = ({ group_ids }: R) => group_ids.some((id) => !seen.has(id))
  const members = rules.some(hidesSome) ? await membersOfGroups(db, [...seen]) : new Map<number, number[]>()
  return {
    groups,
    toldOf(rule, eligible) {
      if (!hidesSome(rule)) return [...eligible]
      const told = new Set([...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])])
      return eligible.filter((id) => told.has(id))
    },
  }
}
