/** Settings for the limits of git processes, pushes and streams. */
import { readNetworks, type Setting, wholeNumber } from '../config.values.ts'

export interface LimitConfig {
  /** Private memory of each git process, in bytes; null for no limit. */
  git_memory_bytes: number | null
  /** Maximum number of refs that one push may change. */
  max_refs_per_push: number
  /** Limits of concurrent clones, pushes and large downloads. */
  streams: { signed_in: number; of_user: number; anonymous: number; of_address: number }
  /** HTTP connections of one process, in total and per address. */
  connections: { total: number; of_address: number }
  /** Addresses and networks that are exempt from rate limits. */
  throttle_allowlist: string[]
}

const count = (value: string) => wholeNumber(value, 1, 1_000_000)

export const limitSettings = {
  GITSTEAD_GIT_MEMORY: {
    fallback: '1024',
    meaning: 'max memory of each git process, in MiB, at least 128; off for no limit',
    read: (value: string) => (value === 'off' ? null : wholeNumber(value, 128, 1_048_576) * 1024 ** 2),
  },
  GITSTEAD_MAX_REFS_PER_PUSH: {
    fallback: '50000',
    meaning: 'max branches, tags and other refs changed by one push',
    read: count,
  },
  GITSTEAD_MAX_STREAMS: {
    fallback: '500',
    meaning: 'max concurrent clones, pushes and large downloads by signed-in users',
    read: count,
  },
  GITSTEAD_MAX_STREAMS_PER_USER: {
    fallback: '100',
    meaning: 'the same, per user or deploy key',
    read: count,
  },
  GITSTEAD_MAX_ANONYMOUS_STREAMS: {
    fallback: '200',
    meaning: 'max concurrent clones and large downloads by anonymous clients',
    read: count,
  },
  GITSTEAD_MAX_ANONYMOUS_STREAMS_PER_ADDRESS: {
    fallback: '20',
    meaning: 'the same, per address (IPv6: per /64)',
    read: count,
  },
  GITSTEAD_MAX_CONNECTIONS: {
    fallback: '10000',
    meaning: 'HTTP connections that each process holds at once',
    read: count,
  },
  GITSTEAD_MAX_CONNECTIONS_PER_ADDRESS: {
    fallback: '1000',
    meaning: 'the same, of one address (IPv6: one /64) that is not in GITSTEAD_TRUSTED_PROXIES',
    read: count,
  },
  GITSTEAD_THROTTLE_ALLOWLIST: {
    fallback: 'none',
    meaning: 'addresses and networks whose requests are never throttled, separated by commas, such as those of monitoring',
    read: readNetworks,
  },
} satisfies Record<string, Setting<unknown>>

type Get = <N extends keyof typeof limitSettings>(name: N) => ReturnType<(typeof limitSettings)[N]['read']>

export function readLimits(get: Get): LimitConfig {
  return {
    git_memory_bytes: get('GITSTEAD_GIT_MEMORY'),
    max_refs_per_push: get('GITSTEAD_MAX_REFS_PER_PUSH'),
    streams: {
      signed_in: get('GITSTEAD_MAX_STREAMS'),
      of_user: get('GITSTEAD_MAX_STREAMS_PER_USER'),
      anonymous: get('GITSTEAD_MAX_ANONYMOUS_STREAMS'),
      of_address: get('GITSTEAD_MAX_ANONYMOUS_STREAMS_PER_ADDRESS'),
    },
    connections: { total: get('GITSTEAD_MAX_CONNECTIONS'), of_address: get('GITSTEAD_MAX_CONNECTIONS_PER_ADDRESS') },
    throttle_allowlist: get('GITSTEAD_THROTTLE_ALLOWLIST'),
  }
}
