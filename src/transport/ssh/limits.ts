/** Limits of the SSH server, before and after authentication. */
import type { ConcurrencyLimiter, LimiterMaker } from '../../limits/concurrency.ts'
import { networkOf } from '../../limits/network.ts'

export interface SshLimits {
  /** Time from the first byte to a correct signature, in total, so that sending slowly gains nothing. */
  sign_in_ms: number
  /** Bytes from an unauthenticated client: an agent with twenty keys sends about 30 KiB. */
  unsigned_bytes: number
  /** Keys that may be offered without a signature; an agent offers all its keys. */
  offers: number
  /** Wrong signatures, and attempts with methods other than public key. */
  refusals: number
  /** Time without a command. A client that multiplexes commands opens a new connection afterwards. */
  idle_ms: number
  /**
   * Time with a command but without a byte in either direction. Git itself sends something every five seconds while it works; its client
   * may compress a large push for a long time without sending. Lost clients are detected by `keepalive_ms`.
   */
  silent_ms: number
  /** Interval of keepalives to an inactive client; it counts as lost after three without a reply. */
  keepalive_ms: number
  /** Concurrent commands per connection. */
  sessions: number
  /**
   * Concurrent connections, per address and in total. Behind a proxy all clients share its address and these limits. Loopback is not
   * exempt.
   */
  connections: number
  connections_of_address: number
  /** Unauthenticated ones among these. */
  unsigned: number
  unsigned_of_address: number
  /** Grace period for running commands when the server stops. */
  stop_ms: number
}

export const defaultLimits: SshLimits = {
  sign_in_ms: 30_000,
  unsigned_bytes: 1024 * 1024,
  offers: 20,
  refusals: 6,
  idle_ms: 10 * 60_000,
  silent_ms: 60 * 60_000,
  keepalive_ms: 30_000,
  sessions: 10,
  connections: 1_000,
  connections_of_address: 100,
  unsigned: 200,
  unsigned_of_address: 20,
  stop_ms: 60_000,
}

/** The slot of one connection. */
export interface Slot {
  /** Stops counting it as unauthenticated. */
  signedIn: () => void
  leave: () => void
}

export interface Gate {
  /** Null if a limit is reached, per address or in total. */
  enter: (address: string) => Promise<Slot | null>
}

/** All connections by address. Commands under the SSH server of the machine count as connections. */
export function allConnections(limiter: LimiterMaker, limits: SshLimits = defaultLimits): ConcurrencyLimiter {
  return limiter('ssh', { perKey: limits.connections_of_address, total: limits.connections })
}

/** @param limiter counts connections, in this process or for all processes of a server */
export function connectionLimiter(limits: SshLimits, limiter: LimiterMaker): Gate {
  const unsigned = limiter('ssh unsigned', { perKey: limits.unsigned_of_address, total: limits.unsigned })
  const all = allConnections(limiter, limits)
  return {
    async enter(address) {
      const whose = networkOf(address)
      // A flood of unauthenticated connections is stopped by the first of the two limits.
      const signedIn = await unsigned.acquire(whose)
      if (typeof signedIn === 'string') return null
      const leaveAll = await all.acquire(whose)
      if (typeof leaveAll === 'string') {
        signedIn()
        return null
      }
      return {
        signedIn,
        leave() {
          signedIn()
          leaveAll()
        },
      }
    },
  }
}
