/** What an endpoint for bytes answers, and a page that sends a file. */
import type { Readable } from 'node:stream'
import type { Part } from '../reply/ranges.ts'

/** Raw bytes, and what is known without reading them. */
export interface RawReply {
  /** In quotes. Identifies these bytes; with `W/` before it, their meaning. */
  etag?: string
  /** In bytes, where known: then range requests are served. */
  size?: number
  /** Their type, and other headers. Not called for 304. */
  describe: () => Promise<RawHeaders> | RawHeaders
  /** Not called for HEAD and 304. */
  open: (part?: Part) => Promise<Readable | Buffer> | Readable | Buffer
}

export type RawHeaders = Record<string, string> & { type: string }
