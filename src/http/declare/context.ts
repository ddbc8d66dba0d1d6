/** What every handler gets, besides the grants of its access rule and its parameters. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'

export interface Base {
  app: App
  /** The address of the client. */
  ip: string
  /** The `User-Agent` of the client; empty if it sends none. */
  user_agent: string
  /** Whether it is a HEAD request: what is costly and shows only in the body may be left out. */
  head: boolean
  /** The headers of the request, their names in lower case. */
  headers: IncomingHttpHeaders
  /** Aborts when the client disconnects before it has its reply. */
  signal: () => AbortSignal
  /**
   * The body as it comes, of endpoints that declare `bytes`. A large one counts as a stream of the caller.
   * @param machine whose streams are counted together, where no user is behind them
   */
  content: (machine?: string) => Promise<Readable>
  /** The body of endpoints whose `bytes` are a piece of something larger. */
  piece: (machine?: string) => Promise<Piece>
  /** Of endpoints that declare `longestWait_ms`. To be called once. */
  patience: () => Patience
}

/** A body of bytes, as it is declared. */
export interface BytesBody {
  /** What the bytes are, for the documentation. */
  description: string
  /** The usual type; every other one is taken as well. `application/octet-stream` unless given. */
  type?: string
  /** They are a piece of something larger, and `Content-Range` says where it begins: held in memory, of up to so many bytes. */
  maxPiece_bytes?: number
}

export interface Piece {
  /** Where it begins. */
  start: number
  bytes: Buffer
}

/** How long a request may wait for news. */
export interface Patience {
  /** In milliseconds since 1970. */
  until: number
  /** Aborts when nobody waits for the answer any more, and when the server stops, which answers all who wait. */
  signal: AbortSignal
}
