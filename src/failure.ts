/** Every failure of the domain in one list, each with its default status, which an endpoint may override (spec part 7). */

const statusOf = {
  not_modified: 304,
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  limit_reached: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  ref_moved: 400,
  ref_denied: 400,
  conflict: 409,
  unmodified_since: 412,
  too_large: 413,
  unsupported: 415,
  range_unsatisfiable: 416,
  unprocessable: 422,
  too_many: 429,
  too_many_at_once: 429,
  client_gone: 499,
  git_failed: 500,
  storage_full: 500,
  not_implemented: 501,
  database_unavailable: 503,
  timed_out: 503,
  busy: 503,
} as const

export type FailureCode = keyof typeof statusOf

/** The message for the caller: one sentence, or several, or the errors by field. */
export type PublicMessage = string | string[] | Record<string, string[]>

export interface FailureOptions {
  /** The underlying error, for the log only, never for the caller. */
  cause?: unknown
  /** The whole body, if it isn't the usual `{ message }`. */
  body?: Record<string, unknown>
  /** When the caller may retry, in seconds, if that is known. */
  retry_after_s?: number
  /** Headers that explain the failure. */
  headers?: Record<string, string>
}

/** A failure that the caller may see. Anything else that is thrown becomes a 500 without details. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly body: Record<string, unknown>
  readonly retry_after_s: number | undefined
  readonly headers: Record<string, string> | undefined

  constructor(code: FailureCode, message: PublicMessage, options: FailureOptions = {}) {
    super(typeof message === 'string' ? message : JSON.stringify(message), { cause: options.cause })
    this.code = code
    this.body = options.body ?? { message }
    this.retry_after_s = options.retry_after_s
    this.headers = options.headers
  }

  get status(): number {
    return statusOf[this.code]
  }
}

export function defaultStatus(code: FailureCode): number {
  return statusOf[code]
}

/** `404 Project Not Found`; without a resource, `404 Not Found`. */
export function notFound(resource?: string): Failure {
  return new Failure('not_found', resource ? `404 ${resource} Not Found` : '404 Not Found')
}

/** `404 Not found`: the text that clients know for a missing row in an existing place. */
export function missing(): Failure {
  return new Failure('not_found', '404 Not found')
}

export function unauthorized(): Failure {
  return new Failure('unauthorized', '401 Unauthorized')
}

/** `403 Forbidden`, with the reason if it may be disclosed. */
export function forbidden(reason?: string): Failure {
  return new Failure('forbidden', reason ? `403 Forbidden - ${reason}` : '403 Forbidden')
}

/** A value that violates a rule of its resource: `{ message: { path: ['has already been taken'] } }`. */
export function invalid(fieldErrors: PublicMessage, cause?: unknown): Failure {
  return new Failure('invalid', fieldErrors, { cause })
}

/** A parameter that is missing or malformed: `{ error: 'name is missing' }`. */
export function badParameter(error: string): Failure {
  return new Failure('invalid', error, { body: { error } })
}

/** A body beyond its limit. */
export function tooLarge(): Failure {
  return new Failure('too_large', '413 Request Entity Too Large', { body: { error: '413 Request Entity Too Large' } })
}

/** A body of an unsupported type. */
export function unsupportedType(): Failure {
  const error = 'The provided content-type is not supported.'
  return new Failure('unsupported', error, { body: { error } })
}

/** The database is unreachable, or was busy beyond its time limit: nothing is known to have changed, and the caller may retry. */
export function databaseUnavailable(cause: unknown): Failure {
  return new Failure('database_unavailable', '503 The database is unavailable, try again in a few seconds', { cause })
}

/** The storage of the database, of git or of our own files is full. The same message everywhere. */
export function storageFull(cause: unknown): Failure {
  return new Failure('storage_full', '500 No storage left on the server', { cause })
}

/** Whether a system call failed for lack of space. */
export function isStorageFull(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT|EFBIG)$/.test((error as { code?: string } | null)?.code ?? '')
}

/** Prevents the start, with one line for whoever starts the program. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

/** The message of a failure without the status in front of it, which only API clients see. */
export function plainWords({ message }: Failure): string {
  return message.replace(/^\d{3} /, '')
}

/** For `.catch`: null if the file or folder doesn't exist. */
export function nullIfMissing(error: unknown): null {
  if (error instanceof Failure && error.code === 'not_found') return null
  throw error
}
