/** Verifies object files by their names and checksums, without git, to detect bit rot. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'

const trailer_bytes = 20
const read_bytes = 1024 * 1024

/** Returns what is wrong with the file; null if it is valid. */
export async function objectFileFault(path: string): Promise<string | null> {
  return /\.(pack|idx|rev|mtimes)$/.test(path) ? packFileFault(path) : looseObjectFault(path)
}

/** Packs and their companion files end with the SHA-1 of all preceding bytes. */
async function packFileFault(path: string): Promise<string | null> {
  const hash = createHash('sha1')
  let kept = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: read_bytes }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([kept, chunk])
    const end = Math.max(0, bytes.length - trailer_bytes)
    hash.update(bytes.subarray(0, end))
    kept = Buffer.from(bytes.subarray(end))
  }
  if (kept.length < trailer_bytes) return 'is cut short'
  return hash.digest().equals(kept) ? null : 'does not match its checksum'
}

/** The name of a loose object is the SHA-1 of its content. */
async function looseObjectFault(path: string): Promise<string | null> {
  const hash = createHash('sha1')
  try {
    await pipeline(createReadStream(path, { highWaterMark: read_bytes }), createInflate(), async (content: AsyncIterable<Buffer>) => {
      for await (const chunk of content) hash.update(chunk)
    })
  } catch (error) {
    const { code } = error as { code?: string }
    // An error of zlib: the bytes are not an object.
    if (code?.startsWith('Z_')) return 'cannot be unpacked'
    throw error
  }
  return hash.digest('hex') === `${basename(dirname(path))}${basename(path)}` ? null : 'does not match its name'
}
