/**
 * Compression of pages, chosen by measurement: gzip for small ones, which costs less to begin; brotli for large ones and
 * streams, which packs better. Its window is limited, so that a stream takes 1 MB and not 8.
 *
 * BREACH: a compressed answer that holds a secret and text of an attacker's choice tells the secret by its size. So for
 * somebody signed in only what our own pages or the address bar asked for is compressed (`Sec-Fetch-Site`), and form tokens are
 * masked anew on each page.
 */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, createBrotliCompress, createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

export type Encoding = 'br' | 'gzip'

/** What a client takes; empty where nothing is to be compressed. */
export type Encodings = readonly Encoding[]

/** Smaller pages fit into the first packets anyway. */
const min_bytes = 1024
/** Larger ones are packed by a thread. */
const atOnce_bytes = 32 * 1024

const gzipLevel = 4
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 }

const inThread = { br: promisify<Buffer, object, Buffer>(brotliCompress), gzip: promisify<Buffer, object, Buffer>(gzip) }

/**
 * The encodings that may be used. What another site has made a browser ask for is never compressed for somebody signed in: the size
 * of an answer that holds both a secret and text of the asker's choice gives the secret away (BREACH). The same holds for pictures
 * that user text names; browsers say what they will use an answer for. Without TLS they don't, and there is nothing to protect.
 */
export function encodingsFor(
  { headers, method }: FastifyRequest,
  { isSignedIn, isSecure }: { isSignedIn: boolean; isSecure: boolean },
): Encodings {
  if (isSignedIn && !isAskedForByUs(headers['sec-fetch-site'], headers['sec-fetch-dest'], isSecure)) return []
  if (method === 'HEAD') return []
  const accepted = String(headers['accept-encoding'] ?? '')
  const takes = (name: string) => new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted)
  return (['br', 'gzip'] as const).filter(takes)
}

function isAskedForByUs(site: unknown, use: unknown, isSecure: boolean): boolean {
  if (site === undefined) return !isSecure
  return (site === 'same-origin' || site === 'none') && (use === 'document' || use === 'empty')
}

/** The text packed, and how; null where that isn't worth it. */
export async function packed(text: string, [best, other]: Encodings): Promise<{ bytes: Buffer; encoding: Encoding } | null> {
  if (best === undefined) return null
  const bytes = Buffer.from(text)
  if (bytes.length < min_bytes) return null
  if (bytes.length > atOnce_bytes) return { bytes: await inThread[best](bytes, optionsFor(best, bytes.length)), encoding: best }
  const encoding = other ?? best
  const pack = encoding === 'br' ? brotliCompressSync : gzipSync
  return { bytes: pack(bytes, optionsFor(encoding, bytes.length)), encoding }
}

function optionsFor(encoding: Encoding, length: number) {
  return encoding === 'br' ? { params: { ...brotliParams, [constants.BROTLI_PARAM_SIZE_HINT]: length } } : { level: gzipLevel }
}

/** Packs what is written to it; each chunk can be read at once. */
export function packer(encoding: Encoding) {
  return encoding === 'br'
    ? createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH })
}
