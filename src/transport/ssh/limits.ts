/** Limits of the SSH server, before and after authentication. */
import type { ConcurrencyLimiter, LimiterMaker } from '../../limits/concurrency.ts'
import { networkOf } from '../../limits/network.ts'

export interface SshLimits {
  /** From the first byte to a right signature, in all, so that trickling bytes gains nothing. */
  sign_in_ms: number
  /** Bytes of an unauthenticated client: an agent with twenty keys sends some 30 KiB. */
  unsigned_bytes: number
  /** Keys that may be offered without a signature: an agent offers all its keys. */
  offers: number
  /** Wrong signatures, and attempts with other methods than a key. */
  refusals: number
  /** Without a command. A client that multiplexes commands opens a new connection after it. */
  idle_ms: number
  /**
   * With a command, and without a byte in either direction. Git itself sends something every five seconds while it works; its
   * client may compress a large push for long in silence. Lost clients are detected by `keepalive_ms`.
   */
  silent_ms: number
  /** Interval of keepalives to a silent client; it is lost after three without a reply. */
  keepalive_ms: number
  /** Commands at once on one connection. */
  sessions: number
  /**
   * Connections at once, per address and in all. Behind a proxy all clients share its address and these limits. Loopback is not
   * exempt.
   */
  connections: number
  connections_of_address: number
  /** Of these, unauthenticated ones. */
  unsigned: number
  unsigned_of_address: number
  /** Grace period for commands under way when the server stops. */
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
  /** Null if a limit is reached, of this address or in all. */
  enter: (address: string) => Promise<Slot | null>
}

/** Connections by address, unauthenticated or not. Commands under the SSH server of the machine count as connections. */
export function allConnections(limiter: LimiterMaker, limits: SshLimits = defaultLimits): ConcurrencyLimiter {
  return limiter('ssh', { perKey: limits.connections_of_address, total: limits.connections })
}

/** @param limiter counts connections: in this process, or for all processes of a server together */
export function connectionLimiter(limits: SshLimits, limiter: LimiterMaker): Gate {
  const unsigned = limiter('ssh unsigned', { perKey: limits.unsigned_of_address, total: limits.unsigned })
  const all = allConnections(limiter, limits)
  return {
    async enter(address) {
      const whose = networkOf(address)
      // A flood of unauthenticated connections ends at the first of the two.
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
