/** Settings of identity providers: OpenID Connect providers, and an LDAP directory. */
import type { Setting } from '../../config.values.ts'
import { type LdapConfig, ldapSettings, readLdap } from './ldap-settings.ts'
import { type OpenIdProvider, openIdSettings } from './openid-settings.ts'

export interface IdentityProviderConfig {
  openid: OpenIdProvider[]
  /** Null if no directory is configured. */
  ldap: LdapConfig | null
}

export const identityProviderSettings = { ...openIdSettings, ...ldapSettings } satisfies Record<string, Setting<unknown>>

type Settings = typeof identityProviderSettings
type Get = <N extends keyof Settings>(name: N) => ReturnType<Settings[N]['read']>

export function readIdentityProviders(get: Get): IdentityProviderConfig {
  return { openid: get('GITSTEAD_OIDC_PROVIDERS'), ldap: readLdap(get) }
}
