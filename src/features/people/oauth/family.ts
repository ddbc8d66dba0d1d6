/** Shared by all endpoints of OAuth and OpenID Connect: their prefix, access rule and errors. */
import { applicationScopes, type Scope, scopes } from '../../../access/levels.ts'
import { type ApplicationHolder, type OAuthHolder, userOf } from '../../../access/principals.ts'
import { unauthorized } from '../../../failure.ts'
import { machines } from '../../../http/declare/machines.ts'
import type { Access, Granted } from '../../../http/declare/rules.ts'
import { oauthErrors } from '../../../http/reply/error-shapes.ts'

export const ofOAuth = { outsideApi: true, errors: oauthErrors, beforeTerms: true } as const

/** The holder of a token may ask about it, whatever its scopes. */
export const everyScope: readonly Scope[] = [...new Set([...scopes, ...applicationScopes])]

export interface HolderGranted extends Granted {
  holder: OAuthHolder | ApplicationHolder
}

/** Grants holders of an application's access token; other credentials are refused. */
export function tokenHolder(): Access<HolderGranted> {
  return {
    ...machines('the holder of an OAuth access token'),
    async grant({ principal }) {
      if (principal.kind !== 'oauth' && principal.kind !== 'application') throw unauthorized()
      return { user: userOf(principal), holder: principal }
    },
  }
}
