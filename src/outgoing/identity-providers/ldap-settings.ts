/** Settings of the directory (LDAP) that users sign in with. */
import { readFileSync } from 'node:fs'
import { refuse, type Setting } from '../../config.values.ts'
import { StartRefused } from '../../failure.ts'
import { parseUrl } from '../../text/parse-url.ts'
import { readList } from './json-setting.ts'

export interface LdapConfig {
  /** `ldap://host:389`, or `ldaps://host:636` for TLS from the first byte. */
  url: string
  /** Whether the connection is upgraded to TLS before anything is sent. */
  start_tls: boolean
  /** CA certificates to verify the server; null for those of the system. */
  ca: string | null
  /** The account for searches; null for anonymous. */
  bind: { dn: string; password: string } | null
  /** The base of all searches. */
  base: string
  /** Filter for who may sign in, in the syntax of RFC 4515. */
  user_filter: string
  attributes: LdapAttributes
  groups: LdapGroup[]
  /** The entry that groups are below which owners of groups here may name; null where they may not. */
  group_base: string | null
}

/** Names of the attributes of a person. */
export interface LdapAttributes {
  username: string
  name: string
  email: string
}

/** A group of the directory whose members become members of a group here. */
export interface LdapGroup {
  dn: string
  /** The full path of the group here. */
  group: string
  access_level: number
}

const flag = (value: string) => (/^(true|false)$/.test(value) ? value === 'true' : refuse('true or false'))
const optional = (value: string) => value || null

export const ldapSettings = {
  GITSTEAD_LDAP_URL: {
    fallback: '',
    meaning: 'ldap://HOST:389 or ldaps://HOST:636 of the directory that users sign in with; none if empty',
    read: (value: string): string | null => {
      if (!value) return null
      const url = parseUrl(value)
      const isRight = /^ldaps?:\/\/[^/?#@]+\/?$/.test(value) && url !== null
      return isRight ? value.replace(/\/$/, '') : refuse('an ldap:// or ldaps:// URL of a host and a port')
    },
  },
  GITSTEAD_LDAP_START_TLS: { fallback: 'false', meaning: 'true: upgrade an ldap:// connection to TLS', read: flag },
  GITSTEAD_LDAP_CA: {
    fallback: '',
    meaning: 'file of certificates (PEM) that the certificate of the directory is checked by; those of the system if empty',
    read: (value: string): string | null => {
      if (!value) return null
      try {
        return readFileSync(value, 'utf8')
      } catch {
        return refuse('the path of a file that can be read')
      }
    },
  },
  GITSTEAD_LDAP_BIND_DN: { fallback: '', meaning: 'account that searches the directory; anonymous if empty', read: optional },
  GITSTEAD_LDAP_BIND_PASSWORD: { fallback: '', meaning: 'password of that account', read: optional },
  GITSTEAD_LDAP_BASE: { fallback: '', meaning: 'entry that all users are below, such as ou=people,dc=example,dc=com', read: optional },
  GITSTEAD_LDAP_USER_FILTER: {
    fallback: '(objectClass=person)',
    meaning: 'LDAP filter of who may sign in; whoever stops matching is blocked',
    read: (value: string) => (/^\(.*\)$/s.test(value) ? value : refuse('a filter in parentheses, such as (objectClass=person)')),
  },
  GITSTEAD_LDAP_ATTRIBUTES: {
    fallback: 'username=uid,name=cn,email=mail',
    meaning: 'attributes of users in the directory',
    read: readAttributes,
  },
  GITSTEAD_LDAP_GROUPS: {
    fallback: '',
    meaning: 'groups of the directory whose members are members of groups here: a JSON list, or the path of a file with one',
    read: (value: string): LdapGroup[] =>
      readList(value, (fields) => ({
        dn: fields.text('dn', /^[^\p{Cc}]+=[^\p{Cc}]+$/u),
        group: fields.text('group', /^[\w.-]+(\/[\w.-]+)*$/),
        access_level: fields.number('access_level', [10, 20, 30, 40, 50]),
      })),
  },
  GITSTEAD_LDAP_GROUP_BASE: {
    fallback: '',
    meaning: 'entry that groups are below which owners link to their groups here, and whose groups within groups are followed',
    read: optional,
  },
} satisfies Record<string, Setting<unknown>>

function readAttributes(value: string): LdapAttributes {
  const pairs = value.split(',').map((pair) => /^(username|name|email)=([A-Za-z][\w-]*)$/.exec(pair.trim()))
  const { username, name, email } = Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]))
  return username && name && email && pairs.length === 3 ? { username, name, email } : refuse('username=…,name=…,email=…')
}

type Get = <N extends keyof typeof ldapSettings>(name: N) => ReturnType<(typeof ldapSettings)[N]['read']>

/** Null if no directory is configured. Throws StartRefused for settings that contradict each other. */
export function readLdap(get: Get): LdapConfig | null {
  const url = get('GITSTEAD_LDAP_URL')
  if (url === null) return null
  const start_tls = get('GITSTEAD_LDAP_START_TLS')
  const [dn, password] = [get('GITSTEAD_LDAP_BIND_DN'), get('GITSTEAD_LDAP_BIND_PASSWORD')]
  if (start_tls && url.startsWith('ldaps:')) throw new StartRefused('GITSTEAD_LDAP_START_TLS must be false for an ldaps:// URL')
  // A name without a password would be an unauthenticated bind (RFC 4513, 5.1.2).
  if ((dn === null) !== (password === null))
    throw new StartRefused('GITSTEAD_LDAP_BIND_DN and GITSTEAD_LDAP_BIND_PASSWORD must be set together')
  const base = get('GITSTEAD_LDAP_BASE')
  if (base === null) throw new StartRefused('GITSTEAD_LDAP_BASE must be set with GITSTEAD_LDAP_URL')
  return {
    url,
    start_tls,
    ca: get('GITSTEAD_LDAP_CA'),
    bind: dn !== null && password !== null ? { dn, password } : null,
    base,
    user_filter: get('GITSTEAD_LDAP_USER_FILTER'),
    attributes: get('GITSTEAD_LDAP_ATTRIBUTES'),
    groups: get('GITSTEAD_LDAP_GROUPS'),
    group_base: get('GITSTEAD_LDAP_GROUP_BASE'),
  }
}
