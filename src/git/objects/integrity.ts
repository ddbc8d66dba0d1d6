/** Verifies the files of objects by their names and checksums, without git: finds bit rot. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'

const trailer_bytes = 20
const read_bytes = 1024 * 1024

/** Null if the file is valid; otherwise what is wrong with it. */
export async function objectFileFault(path: string): Promise<string | null> {
  return /\.(pack|idx|rev|mtimes)$/.test(path) ? packFileFault(path) : looseObjectFault(path)
}

/** Packs and what goes with them end with the SHA-1 of all that is before it. */
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

/** A loose object has the SHA-1 of its content as its name. */
async function looseObjectFault(path: string): Promise<string | null> {
  const hash = createHash('sha1')
  try {
    await pipeline(createReadStream(path, { highWaterMark: read_bytes }), createInflate(), async (content: AsyncIterable<Buffer>) => {
      for await (const chunk of content) hash.update(chunk)
    })
  } catch (error) {
    const { code } = error as { code?: string }
    // An error of zlib: the bytes are no object.
    if (code?.startsWith('Z_')) return 'cannot be unpacked'
    throw error
  }
  return hash.digest('hex') === `${basename(dirname(path))}${basename(path)}` ? null : 'does not match its name'
}
