/** Stacks: merge requests of a project that build on one another, as their branches or the change ids of their commits tell. Pure. */

export interface Stacked {
  id: number
  iid: number
  title: string
  source_branch: string
  target_branch: string
  /** Whether its source is a branch of the project itself: branches of forks have the same names. */
  isOwn: boolean
  /** Change ids of its commits, oldest first; empty if none has one. */
  change_ids: readonly string[]
}

/** A chain of so many is shown; none is longer for people. */
const maxSteps = 50

/**
 * The stack of a merge request, from the lowest: below it those into whose source branch it goes, above it those that go into its own. Where
 * no branch tells, below is the largest whose changes are all among its own, and above the smallest that has all of its own. Where several
 * could follow, it is the oldest, so that all who look from below see the same. Empty if it builds on nothing.
 */
export function stackOf(id: number, open: readonly Stacked[]): Stacked[] {
  const oldestFirst = [...open].sort((one, other) => one.id - other.id)
  const own = oldestFirst.find((one) => one.id === id)
  if (!own) return []
  const bySource = firstBy(
    oldestFirst.filter(({ isOwn }) => isOwn),
    ({ source_branch }) => source_branch,
  )
  const byTarget = firstBy(oldestFirst, ({ target_branch }) => target_branch)
  const changing = oldestFirst.filter(({ change_ids }) => change_ids.length > 0)
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
    (one) => bySource.get(one.target_branch) ?? closest(one, changing, (other) => contains(one, other)),
    (one) => stack.unshift(one),
  )
  grow(
    (one) => (one.isOwn ? byTarget.get(one.source_branch) : undefined) ?? closest(one, changing, (other) => contains(other, one)),
    (one) => stack.push(one),
  )
  return stack.length > 1 ? stack : []
}

function firstBy(open: readonly Stacked[], key: (one: Stacked) => string): Map<string, Stacked> {
  return new Map([...open].reverse().map((one) => [key(one), one]))
}

/** Whether the one has all changes of the other, and more. */
function contains(one: Stacked, other: Stacked): boolean {
  const all = new Set(one.change_ids)
  return new Set(other.change_ids).size < all.size && other.change_ids.every((id) => all.has(id))
}

/** The one that differs by the fewest changes; the oldest of several. */
function closest(one: Stacked, open: readonly Stacked[], fits: (other: Stacked) => boolean): Stacked | undefined {
  if (one.change_ids.length === 0) return undefined
  const distance = (other: Stacked) => Math.abs(one.change_ids.length - other.change_ids.length)
  const fitting = open.filter((other) => other.target_branch === one.target_branch && fits(other))
  return fitting.reduce<Stacked | undefined>((best, other) => (best && distance(best) <= distance(other) ? best : other), undefined)
}
