/** The setting of OpenID Connect providers. */
import { refuse, type Setting } from '../../config.values.ts'
import { parseUrl } from '../../text/parse-url.ts'
import { readList } from './json-setting.ts'

/** A service that signs users in here. */
export interface OpenIdProvider {
  /** In addresses and in identities. */
  name: string
  /** On buttons. */
  label: string
  issuer: string
  client_id: string
  /** Null for a public client. */
  client_secret: string | null
  scopes: string
  /** Whether somebody unknown gets an account; null: as the setting `signup_enabled` says. */
  sign_up: boolean | null
  /** Whether its email addresses count as confirmed though it doesn't say so. */
  trusts_email: boolean
}

export const openIdSettings = {
  GITSTEAD_OIDC_PROVIDERS: {
    fallback: '',
    meaning: 'OpenID Connect providers that sign users in: a JSON list, or the path of a file with one',
    read: readProviders,
  },
} satisfies Record<string, Setting<unknown>>

const line = /^[^\p{Cc}]{1,255}$/u

function readProviders(value: string): OpenIdProvider[] {
  const providers = readList(value, (fields) => {
    const name = fields.text('name', /^(?!ldap)[a-z][a-z0-9_-]{0,49}$/)
    return {
      name,
      label: fields.text('label', line, name),
      issuer: issuerOf(fields.text('issuer', /^https?:\/\//)),
      client_id: fields.text('client_id', line),
      client_secret: fields.optional('client_secret', line),
      scopes: fields.text('scopes', /^(?=.*\bopenid\b)[\x21-\x7e]+( [\x21-\x7e]+)*$/, 'openid profile email'),
      sign_up: fields.flag('sign_up'),
      trusts_email: fields.flag('trusts_email') ?? false,
    }
  })
  if (new Set(providers.map(({ name }) => name)).size < providers.length) refuse('a list whose entries have different names')
  return providers
}

/** Over plain HTTP anybody on the way could sign in as anybody: for tests on one machine only. */
function issuerOf(text: string): string {
  const url = parseUrl(text)
  const isLoopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url?.hostname ?? '')
  if (!url || url.username || url.password || url.search || url.hash || (url.protocol === 'http:' && !isLoopback))
    return refuse('a list whose issuers are https URLs without query or credentials')
  return text
}
