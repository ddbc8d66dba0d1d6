/**
 * Remembers the inputs of jobs that were lost with their processes: for a while they fail at once, so that nobody waits for their deadline
 * again.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export interface LostJobs {
  has: (content: string) => boolean
  add: (content: string) => void
}

/** Maximum number of remembered hashes, of about 200 bytes each. */
const max = 2_000
/** Later the machine may be less busy. */
const remembered_ms = 10 * 60_000

export function lostJobs(): LostJobs {
  const known = new LRUCache<string, true>({ max, ttl: remembered_ms })
  const keyOf = (content: string) => createHash('sha256').update(content).digest('base64')
  return {
    has: (content) => known.size > 0 && known.has(keyOf(content)),
    add: (content) => void known.set(keyOf(content), true),
  }
}
