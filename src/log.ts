/** The log: lines of JSON in which no error tells the credentials or the signature of an address. */
import { type Logger, pino } from 'pino'

/**
 * @param file where to write, instead of standard output
 */
export function openLog(level: string, file?: string): Logger {
  const redact = ['req.headers', 'token', 'password', 'err.config']
  const destination = pino.destination({ dest: file ?? 1, mkdir: true, mode: 0o600 })
  return pino({ level, redact, serializers: { err: describeError } }, destination)
}

/** An error as it is logged, with what caused it. Git and the network tell addresses as they were given them. */
export function describeError(error: unknown): unknown {
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
