/**
 * Rate limit of texts that anonymous callers have parsed or rendered, per network: counted in this process, since each text may take a
 * second.
 */
import { LRUCache } from 'lru-cache'
import { Failure } from '../failure.ts'
import { networkOf } from './network.ts'

export interface NetworkRate {
  /** Counts one more for this address. Throws `too_many` beyond the maximum. */
  count: (address: string) => void
}

const maxNetworks = 10_000

export function createNetworkRate({ max, window_ms }: { max: number; window_ms: number }): NetworkRate {
  const counts = new LRUCache<string, { texts: number }>({ max: maxNetworks, ttl: window_ms })
  return {
    count(address) {
      const network = networkOf(address)
      const known = counts.get(network)
      if (!known) return void counts.set(network, { texts: 1 })
      known.texts += 1
      if (known.texts <= max) return
      const retry_after_s = Math.max(1, Math.ceil(counts.getRemainingTTL(network) / 1000))
      throw new Failure('too_many', 'Too many texts from your network. Sign in, or try again later.', { retry_after_s })
    },
  }
}
