/** The setting of OpenID Connect providers. */
import { refuse, type Setting } from '../../config.values.ts'
import { parseUrl } from '../../text/parse-url.ts'
import { readList } from './json-setting.ts'

/** A service with which users can sign in. */
export interface OpenIdProvider {
  /** The name in URLs and in identities. */
  name: string
  /** The text on buttons. */
  label: string
  issuer: string
  client_id: string
  /** Null for a public client. */
  client_secret: string | null
  scopes: string
  /** Whether an unknown person gets an account; null: as the setting `signup_enabled` says. */
  sign_up: boolean | null
  /** Whether its email addresses count as confirmed even if it doesn't say so. */
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

/** Over plain HTTP, anyone on the network could sign in as anyone, so it is only for tests on one machine. */
function issuerOf(text: string): string {
  const url = parseUrl(text)
  const isLoopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url?.hostname ?? '')
  if (!url || url.username || url.password || url.search || url.hash || (url.protocol === 'http:' && !isLoopback))
    return refuse('a list whose issuers are https URLs without query or credentials')
  return text
}
