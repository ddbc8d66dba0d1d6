/** What the endpoints of OAuth and OpenID Connect have in common: their paths, and the format of errors. */
import { applicationScopes, type Scope, scopes } from '../../../access/levels.ts'
import { type ApplicationHolder, type OAuthHolder, userOf } from '../../../access/principals.ts'
import { unauthorized } from '../../../failure.ts'
import { machines } from '../../../http/declare/machines.ts'
import type { Access, Granted } from '../../../http/declare/rules.ts'
import { oauthErrors } from '../../../http/reply/error-shapes.ts'

export const ofOAuth = { outsideApi: true, errors: oauthErrors, beforeTerms: true } as const

/** A token may be used to look up itself, whatever its scopes. */
export const everyScope: readonly Scope[] = [...new Set([...scopes, ...applicationScopes])]

export interface HolderGranted extends Granted {
  holder: OAuthHolder | ApplicationHolder
}

/** The holder of an access token of an application. Other credentials are rejected. */
export function tokenHolder(): Access<HolderGranted> {
  return {
    ...machines('the holder of an OAuth access token'),
    async grant({ principal }) {
      if (principal.kind !== 'oauth' && principal.kind !== 'application') throw unauthorized()
      return { user: userOf(principal), holder: principal }
    },
  }
}
