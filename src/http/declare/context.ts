/** The context of a handler, to which its access rule adds grants and its declaration parameters. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'

export interface Base {
  app: App
  /** The address of the client. */
  ip: string
  /** The `User-Agent` of the client; empty if it sends none. */
  user_agent: string
  /** Whether it is a HEAD request: costly parts that only appear in the body may be skipped. */
  head: boolean
  /** Request headers, with names in lower case. */
  headers: IncomingHttpHeaders
  /** Aborts when the client disconnects before it has its reply. */
  signal: () => AbortSignal
  /**
   * The body as a stream, for endpoints that declare `bytes`. A large one counts as a stream of the caller.
   * @param machine under which streams without a user are counted together
   */
  content: (machine?: string) => Promise<Readable>
  /** The body, for endpoints whose `bytes` are a piece of something larger. */
  piece: (machine?: string) => Promise<Piece>
  /** For endpoints that declare `longestWait_ms`. Call it once. */
  patience: () => Patience
}

/** A body of bytes, as it is declared. */
export interface BytesBody {
  /** Describes the bytes in the documentation of the API. */
  description: string
  /** The usual media type; every other one is accepted as well. `application/octet-stream` by default. */
  type?: string
  /** Declares a piece of something larger: `Content-Range` says where it begins. It is held in memory and limited to this many bytes. */
  maxPiece_bytes?: number
  /** Declares that the handler holds all of it in memory, and no more than this. */
  held_bytes?: number
}

export interface Piece {
  /** Offset of the first byte. */
  start: number
  bytes: Buffer
}

/** How long a request may wait for news. */
export interface Patience {
  /** In milliseconds since the epoch. */
  until: number
  /** Aborts when the client has left, or the server stops and all waiting requests must be answered. */
  signal: AbortSignal
}
