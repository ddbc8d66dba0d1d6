/** Finds the pack in an answer of upload-pack: fetches and clones get one, negotiations and lists of refs don't. */
import type { Readable } from 'node:stream'

const signature = Buffer.from('PACK')
/**
 * Bytes that may precede the signature: band 1 or, for clients without bands, the newline of the line before. No ref name contains either.
 */
const before = new Set([1, '\n'.charCodeAt(0)])

/** Calls back when the pack begins. Call it before the answer is read. */
export function onPackStart(answer: Readable, found: () => void): void {
  let end: Buffer = Buffer.alloc(0)
  const look = (chunk: Buffer) => {
    const seen = end.length === 0 ? chunk : Buffer.concat([end, chunk])
    if (hasStart(seen)) {
      answer.off('data', look)
      found()
    }
    end = seen.subarray(-signature.length)
  }
  // Otherwise the listener would start the stream before the client is attached to it.
  answer.pause()
  answer.on('data', look)
}

function hasStart(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(signature, 1); at !== -1; at = bytes.indexOf(signature, at + 1)) {
    if (before.has(bytes[at - 1] as number)) return true
  }
  return false
}
