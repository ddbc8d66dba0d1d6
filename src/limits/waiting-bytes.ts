/** Bytes of answers that wait for their readers: bounded by address, and in all. */
import { Failure } from '../failure.ts'
import { type Release, tally } from './concurrency.ts'

export interface WaitingBytes {
  /**
   * Counts an answer until it is released. Where the total is full, answers to the address that has most of it are ended, the oldest
   * first, as long as that is more than this one will have: a few that read nothing never keep the others from theirs. Throws
   * `too_many_at_once` where an answer to this address waits already and the next is beyond its limit, `busy` where all the others
   * have less. An answer of any size is let through when nothing else waits.
   * @param end ends the answer, to make room for another one
   */
  take: (address: string, bytes: number, end: () => void) => Release
}

export interface WaitingLimits {
  of_address: number
  total: number
}

interface Answer {
  address: string
  bytes: number
  /** Counts it no more. */
  release: Release
  end: () => void
}

export function waitingBytes({ of_address, total }: WaitingLimits): WaitingBytes {
  const waiting = tally()
  /** Oldest first. */
  const answers = new Set<Answer>()

  /** The answers that make room for so many bytes more of an address; null where others have less than that address would. */
  function inTheWayOf(address: string, bytes: number): Answer[] | null {
    const others = [...answers].filter((answer) => answer.address !== address)
    const amounts = new Map(others.map((answer) => [answer.address, waiting.of(answer.address)]))
    const victims: Answer[] = []
    for (let excess = waiting.total + bytes - total; excess > 0; ) {
      const [largest, amount] = [...amounts].reduce((one, two) => (two[1] > one[1] ? two : one), ['', 0])
      if (amount <= waiting.of(address) + bytes) return null
      const oldest = others.findIndex((answer) => answer.address === largest)
      const [victim] = others.splice(oldest, 1)
      if (!victim) return null
      victims.push(victim)
      amounts.set(largest, amount - victim.bytes)
      excess -= victim.bytes
    }
    return victims
  }

  return {
    take(address, bytes, end) {
      const here = waiting.of(address)
      if (here > 0 && here + bytes > of_address)
        throw new Failure('too_many_at_once', 'Answers to your address are still being read. Read them, and try again in a few seconds.')
      const victims = waiting.total > 0 ? inTheWayOf(address, bytes) : []
      if (victims === null) throw new Failure('busy', 'Too many large answers are being read on this server. Try again in a few seconds.')
      for (const victim of victims) {
        victim.release()
        victim.end()
      }
      const free = waiting.add(address, bytes)
      const answer: Answer = { address, bytes, end, release }
      answers.add(answer)
      function release() {
        free()
        answers.delete(answer)
      }
      return release
    },
  }
}
