/**
 * Compression of pages. Measured on our own pages (decision 54): brotli at 4 packs better than gzip at 6 and costs less. Its window is
 * limited, so that a stream takes 1 MB and not 8.
 */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, createBrotliCompress, createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

export type Encoding = 'br' | 'gzip'

/** Smaller pages fit into the first packets anyway. */
const min_bytes = 1024
/** Larger ones are packed by a thread: at once it takes 0.1 ms. */
const atOnce_bytes = 32 * 1024

const gzipLevel = 4
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 }

const inThread = { br: promisify<Buffer, object, Buffer>(brotliCompress), gzip: promisify<Buffer, object, Buffer>(gzip) }

/**
 * The best encoding that the client takes; null for none. What another site has made a browser ask for is never compressed for
 * somebody signed in: the size of an answer that holds both a secret and text of the asker's choice gives the secret away (BREACH).
 * The same holds for pictures that user text names; browsers say what they will use an answer for. Without TLS they don't, and there
 * is nothing to protect.
 */
export function encodingFor(
  { headers, method }: FastifyRequest,
  { isSignedIn, isSecure }: { isSignedIn: boolean; isSecure: boolean },
): Encoding | null {
  if (isSignedIn && !isAskedForByUs(headers['sec-fetch-site'], headers['sec-fetch-dest'], isSecure)) return null
  if (method === 'HEAD') return null
  const accepted = String(headers['accept-encoding'] ?? '')
  if (/\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted) ? 'gzip' : null
}

function isAskedForByUs(site: unknown, use: unknown, isSecure: boolean): boolean {
  if (site === undefined) return !isSecure
  return (site === 'same-origin' || site === 'none') && (use === 'document' || use === 'empty')
}

/** The text packed, or null where that isn't worth it. */
export async function packed(text: string, encoding: Encoding | null): Promise<Buffer | null> {
  if (encoding === null) return null
  const bytes = Buffer.from(text)
  if (bytes.length < min_bytes) return null
  const options =
    encoding === 'br' ? { params: { ...brotliParams, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } } : { level: gzipLevel }
  if (bytes.length > atOnce_bytes) return inThread[encoding](bytes, options)
  return encoding === 'br' ? brotliCompressSync(bytes, options) : gzipSync(bytes, options)
}

/** Packs what is written to it; each chunk can be read at once. */
export function packer(encoding: Encoding) {
  return encoding === 'br'
    ? createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH })
}
