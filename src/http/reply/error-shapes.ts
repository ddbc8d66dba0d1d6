/** The bodies of error replies: the usual one of the API, and those of endpoint families that follow another standard. */
import { type TSchema, Type } from 'typebox'
import { Failure, type FailureCode } from '../../failure.ts'

/** The error format of a family of endpoints. */
export interface ErrorShape {
  /** Schema of the body, for the documentation. */
  schema: TSchema
  bodyOf: (failure: Failure) => Record<string, unknown>
  /** The body for errors of the HTTP layer and for internal errors. */
  bodyOfStatus: (status: number, text: string) => Record<string, unknown>
  headersOf: (failure: Failure) => Record<string, string>
}

/** `message`, or `error` if the request itself is malformed. */
export const usualErrors: ErrorShape = {
  schema: Type.Object(
    {
      message: Type.Optional(
        Type.Union([Type.String(), Type.Unsafe({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } })]),
      ),
      error: Type.Optional(Type.String()),
    },
    { title: 'Refusal' },
  ),
  bodyOf: ({ body }) => body,
  bodyOfStatus: (status, text) => (status < 500 ? { error: text } : { message: text }),
  headersOf: () => ({}),
}

/** OAuth 2.0 error codes for failures whose thrower names none (RFC 6749, 5.2). */
const oauthCodes: Partial<Record<FailureCode, string>> = {
  unauthorized: 'invalid_token',
  forbidden: 'access_denied',
  insufficient_scope: 'insufficient_scope',
  too_many: 'temporarily_unavailable',
  too_many_at_once: 'temporarily_unavailable',
  busy: 'temporarily_unavailable',
  database_unavailable: 'temporarily_unavailable',
  timed_out: 'temporarily_unavailable',
}

/** `error`, a code of the standard, and `error_description`, a sentence. */
export const oauthErrors: ErrorShape = {
  schema: Type.Object(
    { error: Type.String(), error_description: Type.String(), scope: Type.Optional(Type.String()) },
    { title: 'OAuthError' },
  ),
  bodyOf(failure) {
    const { error, error_description, scope } = failure.body
    if (typeof error === 'string' && typeof error_description === 'string')
      return { error, error_description, ...(scope !== undefined && { scope }) }
    return { error: oauthCodeOf(failure), error_description: sentenceOf(failure.message) }
  },
  bodyOfStatus: (status, text) => ({ error: status < 500 ? 'invalid_request' : 'server_error', error_description: sentenceOf(text) }),
  headersOf: ({ status }) => (status === 401 ? { 'www-authenticate': 'Bearer error="invalid_token"' } : {}),
}

/** A failure with a code of the standard. A client that isn't authenticated is told how to authenticate. */
export function oauthFailure(error: string, description: string): Failure {
  const isOfClient = error === 'invalid_client'
  return new Failure(isOfClient ? 'unauthorized' : 'invalid', description, {
    body: { error, error_description: description },
    ...(isOfClient && { headers: { 'www-authenticate': 'Basic realm="OAuth"' } }),
  })
}

function oauthCodeOf({ code, status }: Failure): string {
  return oauthCodes[code] ?? (status < 500 ? 'invalid_request' : 'server_error')
}

function sentenceOf(text: string): string {
  return text.replace(/^\d{3} /, '')
}
