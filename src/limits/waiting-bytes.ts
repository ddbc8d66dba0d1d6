/** Limits the bytes of answers that wait for their readers, per address and in total. */
import { Failure } from '../failure.ts'
import { type Release, tally } from './concurrency.ts'

export interface WaitingBytes {
  /**
   * Counts an answer until it is released. If the total is full, the oldest answers of the address with the most bytes are ended, as long
   * as that is more than this address will have, so a few clients that don't read can't block the others. Throws `too_many_at_once` if
   * another answer to this address waits and this one exceeds its limit, `busy` if all other addresses have less. An answer of any size is
   * accepted if nothing else waits.
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
  /** Stops counting it. */
  release: Release
  end: () => void
}

export function waitingBytes({ of_address, total }: WaitingLimits): WaitingBytes {
  const waiting = tally()
  /** Oldest first. */
  const answers = new Set<Answer>()

  /** Answers to end so that this many bytes fit for an address; null if all others have less than that address would. */
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
