/** Differences that a change makes to an issue or a merge request; unchanged values have no consequences. */
import type { Difference } from '../../../domain-events/issue-events.ts'

export const unchanged: Difference = { added: [], removed: [] }

export function hasChanged({ added, removed }: Difference): boolean {
  return added.length > 0 || removed.length > 0
}

export function differenceOf(before: number[], after: number[]): Difference {
  return { added: after.filter((id) => !before.includes(id)), removed: before.filter((id) => !after.includes(id)) }
}

/** The sent fields that differ from the row; titles are trimmed. */
export function changedFields<F extends object>(before: F, sent: { [K in keyof F]?: F[K] | undefined }): Partial<F> {
  const named = Object.entries(sent).map(
    ([name, value]) => [name, name === 'title' && typeof value === 'string' ? value.trim() : value] as const,
  )
  return Object.fromEntries(named.filter(([name, value]) => value !== undefined && value !== before[name as keyof F])) as Partial<F>
}
