/** How often somebody may try: guesses of a password are few, from one address and at one account. Each process counts its own. */
import type { Db } from '../db/database.ts'
import { Failure } from '../failure.ts'

const most = 10
const period_ms = 60_000
const knownFor_ms = 86_400_000
const mostNames = 100_000

interface Count {
  tries: number
  ends_at: number
}

/** What is remembered of the users of one database. */
interface Memory {
  counts: Map<string, Count>
  /** Until when an account's address counts as known. */
  doors: Map<string, number>
}

const memories = new WeakMap<Db, Memory>()

function memoryOf(db: Db): Memory {
  const known = memories.get(db)
  if (known) return known
  const fresh = { counts: new Map(), doors: new Map() }
  memories.set(db, fresh)
  return fresh
}

/**
 * Counts a try under each of the names. Throws 429 when one of them has had its share in this minute. Who turns out to be
 * right calls what is given back: then it was no guess.
 */
export function countTry(db: Db, ...names: string[]): () => void {
  const at = Date.now()
  const { counts } = memoryOf(db)
  if (counts.size > mostNames) forget(counts, at)
  const mine = names.map((name) => current(counts, name, at))
  if (mine.some(({ tries }) => tries >= most)) throw new Failure('too_many', 'You have tried too often. Try again in a minute.')
  for (const count of mine) count.tries += 1
  return () => {
    for (const count of mine) count.tries -= 1
  }
}

/**
 * Under which name guesses at the account from this address are counted: with all others, or by themselves where who has it was
 * right in the last day. Else a stranger could keep him out by guessing without end.
 */
export function doorTo(db: Db, account: string, address: string): string {
  const own = `${account} from ${address}`
  return (memoryOf(db).doors.get(own) ?? 0) > Date.now() ? own : account
}

/** Somebody was right at this account from this address. */
export function knowDoor(db: Db, account: string, address: string): void {
  const { doors } = memoryOf(db)
  if (doors.size >= mostNames) doors.clear()
  doors.set(`${account} from ${address}`, Date.now() + knownFor_ms)
}

function current(counts: Map<string, Count>, name: string, at: number): Count {
  const known = counts.get(name)
  if (known && known.ends_at > at) return known
  const fresh = { tries: 0, ends_at: at + period_ms }
  counts.set(name, fresh)
  return fresh
}

function forget(counts: Map<string, Count>, at: number): void {
  for (const [name, { ends_at }] of counts) if (ends_at <= at) counts.delete(name)
}
