/** Computes where a ref was before some of its moves. */

/** From one object to another; null is none: the ref was created or deleted. */
export interface Move {
  before: string | null
  after: string | null
}

/**
 * The commit at which a ref that is at `now` was before these moves were recorded.
 * @param moves in the order of their records, which may differ from the order they were made in; those made after the ref
 * was read may be among them
 */
export function undo(now: string | null, moves: Move[]): string | null {
  const related = connected(now, moves)
  // Nothing of this led here, so it is where it was.
  if (!related.some(({ after }) => after === now)) return now
  // They make a trail, each beginning where another ended. Where it began, one leaves more often than one comes.
  const balance = new Map<string | null, number>()
  for (const { before, after } of related) {
    balance.set(before, (balance.get(before) ?? 0) + 1)
    balance.set(after, (balance.get(after) ?? 0) - 1)
  }
  const start = [...balance].find(([, count]) => count > 0)
  // It ended where it began: then only the order of events shows where that was.
  return start ? start[0] : (related[0] as Move).before
}

/** Moves from which `now` can be reached, whichever way they lead. */
function connected(now: string | null, moves: Move[]): Move[] {
  const places = new Set([now])
  const touches = ({ before, after }: Move) => places.has(before) || places.has(after)
  for (let size = 0; size !== places.size; ) {
    size = places.size
    // The last ones lead to where it is now: mostly once through is enough.
    for (const move of moves.toReversed()) if (touches(move)) places.add(move.before).add(move.after)
  }
  return moves.filter(touches)
}
