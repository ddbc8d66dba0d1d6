/** How much of an SSH server anybody may take up, before and after he has shown who he is. */
import type { ConcurrencyLimiter, ConcurrencyLimits } from '../../limits/concurrency.ts'
import { networkOf } from '../../limits/network.ts'

export interface SshLimits {
  /** From the first byte to a right signature; whoever trickles bytes has no more of it than who sends none. */
  sign_in_ms: number
  /** Bytes of a client that has not signed in: an agent with twenty keys sends some 30 KiB. */
  unsigned_bytes: number
  /** Keys that may be offered without a signature: an agent offers all it has. */
  offers: number
  /** Wrong signatures, and tries by other ways than a key. */
  refusals: number
  /** Without a command. A client that shares one connection among its commands makes a new one after it. */
  idle_ms: number
  /**
   * With a command, and not a byte of it in either direction. Git itself says something every five seconds while it works;
   * its client may compress a large push for long without a word. Who is really gone is found out by `keepalive_ms`.
   */
  silent_ms: number
  /** How often a silent client is asked whether it is still there; it is gone after three questions without an answer. */
  keepalive_ms: number
  /** Commands at once on one connection. */
  sessions: number
  /**
   * Connections at once. An address is that of the connection: behind a proxy all clients share its address, and these limits
   * with it. The loopback is an address like any other.
   */
  connections: number
  connections_of_address: number
  /** Of these, those that have not signed in. */
  unsigned: number
  unsigned_of_address: number
  /** What a stop of the server leaves to the commands under way. */
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

/** The place of one connection. */
export interface Place {
  /** From now on it no longer counts among those that have shown nothing. */
  signedIn: () => void
  leave: () => void
}

export interface Gate {
  /** Null when there is no place left, for this address or for anybody. */
  enter: (address: string) => Promise<Place | null>
}

/** @param limiter counts connections: in this process, or for all processes of a server together */
export function openGate(limits: SshLimits, limiter: (name: string, limits: ConcurrencyLimits) => ConcurrencyLimiter): Gate {
  const unsigned = limiter('ssh unsigned', { perKey: limits.unsigned_of_address, total: limits.unsigned })
  const all = limiter('ssh', { perKey: limits.connections_of_address, total: limits.connections })
  return {
    async enter(address) {
      const whose = networkOf(address)
      // A flood of strangers ends at the first of the two.
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
