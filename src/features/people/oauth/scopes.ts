/** The scopes of a request, separated by spaces. */
import { type ApplicationScope, applicationScopes } from '../../../access/levels.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'

/** Throws `invalid_scope` for none, and for any that is not allowed. */
export function readScopes(text: string, allowed: readonly ApplicationScope[]): ApplicationScope[] {
  const wanted = text.split(/\s+/).filter((word) => word !== '')
  const given = applicationScopes.filter((scope) => wanted.includes(scope))
  const isTooMuch = wanted.some((word) => !(allowed as readonly string[]).includes(word))
  if (given.length === 0 || isTooMuch)
    throw oauthFailure('invalid_scope', 'The requested scope is unknown, or the application may not ask for it.')
  return given
}
