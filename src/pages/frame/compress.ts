/**
 * Compression of pages, chosen by measurement: gzip for small ones, as it starts faster; brotli for large ones and streams, as it
 * compresses better. Its window is limited, so that a stream takes 1 MB instead of 8. BREACH: the size of a compressed answer that contains
 * both a secret and text chosen by an attacker reveals the secret. For signed-in users, only answers to requests from our own pages or the
 * address bar are compressed (`Sec-Fetch-Site`), and form tokens are masked differently on each page.
 */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, createBrotliCompress, createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

export type Encoding = 'br' | 'gzip'

/** The encodings that a client accepts; empty if the answer must not be compressed. */
export type Encodings = readonly Encoding[]

/** Smaller pages fit into the first packets anyway. */
const min_bytes = 1024
/** Larger ones are compressed on a thread. */
const atOnce_bytes = 32 * 1024

const gzipLevel = 4
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 }

const inThread = { br: promisify<Buffer, object, Buffer>(brotliCompress), gzip: promisify<Buffer, object, Buffer>(gzip) }

/**
 * The encodings that may be used. For signed-in users, answers to requests caused by another site are never compressed: the size of an
 * answer that contains both a secret and text chosen by an attacker reveals the secret (BREACH). The same holds for images, whose URLs may
 * be in texts of users; browsers state the use of an answer in a header. Without TLS they don't, but then there is nothing to protect.
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

/** The compressed text and its encoding; null if compression isn't worth it. */
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

/** Compresses what is written to it; each chunk can be decoded at once. */
export function packer(encoding: Encoding) {
  return encoding === 'br'
    ? createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH })
}
