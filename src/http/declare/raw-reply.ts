/** The reply of an endpoint for bytes, or a page that sends a file. */
import type { Readable } from 'node:stream'
import type { Part } from '../reply/ranges.ts'

/** Raw bytes, with what is known before they are read. */
export interface RawReply {
  /** In quotes. Identifies the bytes exactly, or with `W/` their meaning. */
  etag?: string
  /** In bytes, if known: range requests are then supported. */
  size?: number
  /** How many bytes are held in memory at once, if that is known before they are opened. Buffers count by themselves. */
  held_bytes?: number
  /** The content type and other headers. Not called for 304. */
  describe: () => Promise<RawHeaders> | RawHeaders
  /** Not called for HEAD and 304. */
  open: (part?: Part) => Promise<Readable | Buffer> | Readable | Buffer
}

export type RawHeaders = Record<string, string> & { type: string }
