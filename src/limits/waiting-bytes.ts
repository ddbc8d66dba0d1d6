/** Bytes of answers that wait for their readers: bounded by address, and in all. */
import { Failure } from '../failure.ts'
import type { Release } from './concurrency.ts'

export interface WaitingBytes {
  /**
   * Counts an answer until it is released. Throws `too_many_at_once` where too much waits at this address, `busy` where too much waits
   * in all. One answer that is larger than a limit is let through when nothing else waits.
   */
  take: (address: string, bytes: number) => Release
}

export interface WaitingLimits {
  of_address: number
  total: number
}

export function waitingBytes({ of_address, total }: WaitingLimits): WaitingBytes {
  const waiting = new Map<string, number>()
  let all = 0
  const isBeyond = (present: number, more: number, limit: number) => present > 0 && present + more > limit

  return {
    take(address, bytes) {
      const here = waiting.get(address) ?? 0
      if (isBeyond(here, bytes, of_address))
        throw new Failure('too_many_at_once', 'Answers to your address are still being read. Read them, and try again in a few seconds.')
      if (isBeyond(all, bytes, total))
        throw new Failure('busy', 'Too many large answers are being read on this server. Try again in a few seconds.')
      waiting.set(address, here + bytes)
      all += bytes
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        all -= bytes
        const left = (waiting.get(address) ?? 0) - bytes
        if (left > 0) waiting.set(address, left)
        else waiting.delete(address)
      }
    },
  }
}
