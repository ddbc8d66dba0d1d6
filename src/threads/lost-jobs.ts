/** Jobs that were lost in their threads, by what they are made of: for a while they are lost at once, and cost nobody their deadline again. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export interface LostJobs {
  has: (content: string) => boolean
  add: (content: string) => void
}

/** Of each a hash is kept: some 200 bytes. */
const max = 2_000
/** The machine may be quieter then. */
const remembered_ms = 10 * 60_000

export function lostJobs(): LostJobs {
  const known = new LRUCache<string, true>({ max, ttl: remembered_ms })
  const keyOf = (content: string) => createHash('sha256').update(content).digest('base64')
  return {
    has: (content) => known.size > 0 && known.has(keyOf(content)),
    add: (content) => void known.set(keyOf(content), true),
  }
}
