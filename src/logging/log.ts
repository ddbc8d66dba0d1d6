/** The log: JSON lines on standard output or in a file, with the credentials and signatures of URLs redacted. */
import { mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Logger, pino } from 'pino'
import { lineWriter } from './log-writer.ts'

export interface LogOptions {
  level: string
  /** Standard output if absent. */
  file?: string | undefined
  /** Called for lines that could not be written because the disk is full, or the reader is gone or too slow. */
  onDropped?: (lines: number) => void
}

/** Also the names of columns with secrets in the clear: `test/contract/tables/secrets.test.ts` checks them. */
const redact = ['req.headers', 'token', 'password', 'err.config', 'feed_token', 'runners_token', 'secret']

/** Throws if the file can't be opened. */
export function openLog({ level, file, onDropped = () => {} }: LogOptions): Logger {
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const writer = lineWriter(file === undefined ? 1 : openSync(file, 'a', 0o600), onDropped)
  return pino({ level, redact, serializers: { err: describeError } }, writer)
}

/** An error in the form for the log, with its causes. Messages of git and the network contain URLs as given. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return redacted(pino.stdSerializers.err(error), 0)
}

/** Errors contain bodies, which contain messages. */
const maxDepth = 4

function redacted(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutCredentials(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '[redacted]'
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redacted(item, depth + 1)]))
}

/** Removes usernames and passwords, queries and fragments from URLs in the text, and the values of authorization headers. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/'"<>?#]{0,1000}@/gi, '$1[redacted]@')
    .replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"<>?#]{0,2000})[?#][^\s'"<>]*/gi, '$1?[redacted]')
    .replace(/(authorization:?\s*(?:basic|bearer)\s+)\S+/gi, '$1[redacted]')
}
