/** The log: JSON lines on standard output or in a file, with the credentials and signatures of URLs redacted. */
import { mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Logger, pino } from 'pino'
import { lineWriter } from './log-writer.ts'

export interface LogOptions {
  level: string
  /** Standard output without it. */
  file?: string | undefined
  /** Called for lines that could not be written: the disk is full, the reader is gone or too slow. */
  onDropped?: (lines: number) => void
}

/** Also the names of columns with secrets that are stored as they are: `test/contract/tables/secrets.test.ts` knows them. */
const redact = ['req.headers', 'token', 'password', 'err.config', 'feed_token', 'runners_token', 'secret']

/** Throws where the file can't be opened. */
export function openLog({ level, file, onDropped = () => {} }: LogOptions): Logger {
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const writer = lineWriter(file === undefined ? 1 : openSync(file, 'a', 0o600), onDropped)
  return pino({ level, redact, serializers: { err: describeError } }, writer)
}

/** An error as it is logged, with what caused it. Messages of git and the network contain URLs as given. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return redacted(pino.stdSerializers.err(error), 0)
}

/** Errors hold bodies, which hold messages. */
const maxDepth = 4

function redacted(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutCredentials(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '[redacted]'
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redacted(item, depth + 1)]))
}

/** The text without names and passwords, queries and fragments of the addresses in it, and without the values of authorization headers. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/'"<>?#]{0,1000}@/gi, '$1[redacted]@')
    .replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"<>?#]{0,2000})[?#][^\s'"<>]*/gi, '$1?[redacted]')
    .replace(/(authorization:?\s*(?:basic|bearer)\s+)\S+/gi, '$1[redacted]')
}
