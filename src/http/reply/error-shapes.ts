/** The bodies of refusals: the usual one of the API, and those of families of endpoints that follow a standard of their own. */
import { type TSchema, Type } from 'typebox'
import { Failure, type FailureCode } from '../../failure.ts'

/** How the endpoints of a family refuse. */
export interface ErrorShape {
  /** Of the body, for the documentation. */
  schema: TSchema
  bodyOf: (failure: Failure) => Record<string, unknown>
  /** Of what the HTTP layer refuses, and of what went wrong. */
  bodyOfStatus: (status: number, text: string) => Record<string, unknown>
  headersOf: (failure: Failure) => Record<string, string>
}

/** `message`, or `error` where the request itself is malformed. */
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

/** The errors of OAuth 2.0 that follow from a failure where its thrower names none (RFC 6749, 5.2). */
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

/** `error`, a word of the standard, and `error_description`, a sentence. */
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

/** A refusal by a word of the standard. Who isn't authenticated as a client is told how they can be. */
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
