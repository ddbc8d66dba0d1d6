/** Bytes of answers that wait for their readers: bounded by address, and in all. */
import { Failure } from '../failure.ts'
import { type Release, tally } from './concurrency.ts'

export interface WaitingBytes {
  /**
   * Counts an answer until it is released. An address may have its limit, and at most half of what the others leave of the total: a few
   * that read nothing never leave nothing to the next. Throws `too_many_at_once` where an answer to this address waits already, `busy` where the
   * first doesn't fit. An answer of any size is let through when nothing else waits.
   */
  take: (address: string, bytes: number) => Release
}

export interface WaitingLimits {
  of_address: number
  total: number
}

export function waitingBytes({ of_address, total }: WaitingLimits): WaitingBytes {
  const waiting = tally()
  return {
    take(address, bytes) {
      const here = waiting.of(address)
      const share = (total - (waiting.total - here)) / 2
      if (here > 0 && here + bytes > Math.min(of_address, share))
        throw new Failure('too_many_at_once', 'Answers to your address are still being read. Read them, and try again in a few seconds.')
      if (waiting.total > 0 && here + bytes > share)
        throw new Failure('busy', 'Too many large answers are being read on this server. Try again in a few seconds.')
      return waiting.add(address, bytes)
    },
  }
}
