/** How often somebody may try: guesses of a password are few, from one address and at one account. Each process counts its own. */
import { Failure } from '../failure.ts'

const most = 10
const period_ms = 60_000
const mostNames = 100_000

interface Count {
  tries: number
  ends_at: number
}

const counts = new Map<string, Count>()

/**
 * Counts a try under each of the names. Throws 429 when one of them has had its share in this minute. Who turns out to be
 * right calls what is given back: then it was no guess.
 */
export function countTry(...names: string[]): () => void {
  const at = Date.now()
  if (counts.size > mostNames) forget(at)
  const mine = names.map((name) => current(name, at))
  if (mine.some(({ tries }) => tries >= most)) throw new Failure('too_many', 'You have tried too often. Try again in a minute.')
  for (const count of mine) count.tries += 1
  return () => {
    for (const count of mine) count.tries -= 1
  }
}

function current(name: string, at: number): Count {
  const known = counts.get(name)
  if (known && known.ends_at > at) return known
  const fresh = { tries: 0, ends_at: at + period_ms }
  counts.set(name, fresh)
  return fresh
}

function forget(at: number): void {
  for (const [name, { ends_at }] of counts) if (ends_at <= at) counts.delete(name)
}
