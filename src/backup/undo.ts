/** Computes where a ref was before some of its moves. */

/** A move of a ref from one object to another; null means that it was created or deleted. */
export interface Move {
  before: string | null
  after: string | null
}

/**
 * The commit of a ref before these moves were recorded, given that it is at `now`.
 * @param moves in the order of their records, which may differ from the order in which they happened; moves made after the ref was read may
 * be included
 */
export function undo(now: string | null, moves: Move[]): string | null {
  const related = connected(now, moves)
  // No move led here, so it was here before.
  if (!related.some(({ after }) => after === now)) return now
  // The moves form a trail, each beginning where another ended. At the beginning of the trail, there is one more departure than arrivals.
  const balance = new Map<string | null, number>()
  for (const { before, after } of related) {
    balance.set(before, (balance.get(before) ?? 0) + 1)
    balance.set(after, (balance.get(after) ?? 0) - 1)
  }
  const start = [...balance].find(([, count]) => count > 0)
  // The trail ended where it began, so only the order of events shows where that was.
  return start ? start[0] : (related[0] as Move).before
}

/** Moves connected with `now`, in either direction. */
function connected(now: string | null, moves: Move[]): Move[] {
  const places = new Set([now])
  const touches = ({ before, after }: Move) => places.has(before) || places.has(after)
  for (let size = 0; size !== places.size; ) {
    size = places.size
    // The last ones lead to where it is now, so one pass is usually enough.
    for (const move of moves.toReversed()) if (touches(move)) places.add(move.before).add(move.after)
  }
  return moves.filter(touches)
}
