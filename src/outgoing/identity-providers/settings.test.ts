/** Settings of providers of sign-ins: what is wrong is named, and no secret is. */
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'

const home = '/nowhere/gitstead'

function refusalOf(env: Record<string, string>): string {
  try {
    readConfig({ GITSTEAD_HOME: home, ...env })
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

const provider = { name: 'corp', issuer: 'https://id.example.com', client_id: 'gitstead', client_secret: 'very-secret' }

test('a provider needs a name, an issuer and a client id, and has sensible values for all else', () => {
  const { openid } = readConfig({ GITSTEAD_HOME: home, GITSTEAD_OIDC_PROVIDERS: JSON.stringify([provider]) }).identity_providers
  const rest = { label: 'corp', scopes: 'openid profile email', sign_up: null, trusts_email: false }
  expect(openid).toEqual([{ ...provider, ...rest }])
})

test.each([
  ['no JSON', 'very-secret', 'valid JSON'],
  ['no list', '{"client_secret":"very-secret"}', 'a JSON list'],
  ['no objects', '["very-secret"]', 'a JSON list of objects'],
  ['a missing file', '/nowhere/very.json', 'ENOENT'],
  ['a name with a space', [{ ...provider, name: 'the corp' }], 'valid "name"'],
  ['the name of a directory', [{ ...provider, name: 'ldapmain' }], 'valid "name"'],
  ['a name twice', [provider, provider], 'different names'],
  ['plain HTTP', [{ ...provider, issuer: 'http://id.example.com' }], 'https URLs'],
  ['credentials in the issuer', [{ ...provider, issuer: 'https://a:very-secret@id.example.com' }], 'https URLs'],
  ['a secret that is no text', [{ ...provider, client_secret: 7 }], 'valid "client_secret"'],
  ['scopes without openid', [{ ...provider, scopes: 'email' }], 'valid "scopes"'],
  ['a flag that is text', [{ ...provider, sign_up: 'yes' }], 'valid "sign_up"'],
  ['a misspelt field', [{ ...provider, lable: 'Corp' }], 'no unknown field "lable"'],
])('a list of providers with %s is refused, without a secret in the message', (_, value, reason) => {
  const line = refusalOf({ GITSTEAD_OIDC_PROVIDERS: typeof value === 'string' ? value : JSON.stringify(value) })
  expect(line).toMatch(/^GITSTEAD_OIDC_PROVIDERS must be /)
  expect(line).toContain(reason)
  expect(line).not.toContain('very-secret')
})

const ldap = { GITSTEAD_LDAP_URL: 'ldap://ldap.example.com', GITSTEAD_LDAP_BASE: 'dc=example,dc=com' }

test.each([
  [{ GITSTEAD_LDAP_URL: 'http://ldap.example.com' }, 'GITSTEAD_LDAP_URL must be'],
  [{ GITSTEAD_LDAP_URL: 'ldap://ldap.example.com/dc=example' }, 'GITSTEAD_LDAP_URL must be'],
  [{ GITSTEAD_LDAP_BASE: '' }, 'GITSTEAD_LDAP_BASE must be set'],
  [{ GITSTEAD_LDAP_BIND_DN: 'cn=search' }, 'must be set together'],
  [{ GITSTEAD_LDAP_BIND_PASSWORD: 'very-secret' }, 'must be set together'],
  [{ GITSTEAD_LDAP_URL: 'ldaps://ldap.example.com', GITSTEAD_LDAP_START_TLS: 'true' }, 'must be false for an ldaps:// URL'],
  [{ GITSTEAD_LDAP_CA: '/nowhere/ca.pem' }, 'GITSTEAD_LDAP_CA must be'],
  [{ GITSTEAD_LDAP_USER_FILTER: 'uid=*' }, 'GITSTEAD_LDAP_USER_FILTER must be'],
  [{ GITSTEAD_LDAP_ATTRIBUTES: 'username=uid' }, 'GITSTEAD_LDAP_ATTRIBUTES must be'],
  [{ GITSTEAD_LDAP_ATTRIBUTES: 'username=uid)(x,name=cn,email=mail' }, 'GITSTEAD_LDAP_ATTRIBUTES must be'],
  [{ GITSTEAD_LDAP_GROUPS: '[{"dn":"cn=a","group":"a","access_level":35}]' }, 'valid "access_level"'],
])('settings of a directory that can’t be are refused: %j', (change, reason) => {
  const line = refusalOf({ ...ldap, ...change })
  expect(line).toContain(reason)
  expect(line).not.toContain('very-secret')
})
