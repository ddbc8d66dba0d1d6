/** Stacks: merge requests of a project that build on one another, as their branches tell. A pure function. */

export interface Stacked {
  id: number
  iid: number
  title: string
  source_branch: string
  target_branch: string
}

/** A chain of so many is shown; none is longer for people. */
const maxSteps = 50

/**
 * The stack of a merge request, from the lowest: below it those into whose source branch it goes, above it those that go into its own. Where
 * several go into one branch, the stack follows the oldest, so that all who look from below see the same. Empty if it builds on nothing.
 */
export function stackOf(id: number, open: readonly Stacked[]): Stacked[] {
  const own = open.find((one) => one.id === id)
  if (!own) return []
  const bySource = firstBy(open, ({ source_branch }) => source_branch)
  const byTarget = firstBy(open, ({ target_branch }) => target_branch)
  const stack = [own]
  const known = new Set([id])
  const grow = (next: (one: Stacked) => Stacked | undefined, add: (one: Stacked) => void) => {
    let one = next(own)
    while (one && !known.has(one.id) && known.size < maxSteps) {
      known.add(one.id)
      add(one)
      one = next(one)
    }
  }
  grow(
    ({ target_branch }) => bySource.get(target_branch),
    (one) => stack.unshift(one),
  )
  grow(
    ({ source_branch }) => byTarget.get(source_branch),
    (one) => stack.push(one),
  )
  return stack.length > 1 ? stack : []
}

function firstBy(open: readonly Stacked[], key: (one: Stacked) => string): Map<string, Stacked> {
  return new Map([...open].reverse().map((one) => [key(one), one]))
}
