/**
 * An LDAP directory: checks names and passwords, finds people, and reads members of groups. Each call opens its own connection, since a
 * bind applies to the whole connection.
 */
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { Client, type Entry, escapeFilter, ResultCodeError, type SearchOptions } from 'ldapts'
import { Failure } from '../../failure.ts'
import { normalizedName } from './distinguished-names.ts'
import type { LdapConfig } from './ldap-settings.ts'

export interface DirectoryPerson {
  /** The distinguished name, which identifies the person. */
  dn: string
  username: string
  name: string
  email: string | null
}

/** An open connection, bound as the account for searches. */
export interface Directory {
  /** The person with this distinguished name, if they may sign in. */
  find: (dn: string) => Promise<DirectoryPerson | null>
  /** Null if there is no such group, or the directory returns only a part of its members. */
  groupMembers: (dn: string) => Promise<GroupMembers | null>
}

export interface GroupMembers {
  /** Normalized distinguished names. */
  names: Set<string>
  /** In lower case. */
  usernames: Set<string>
}

const connect_ms = 5_000
const answer_ms = 10_000
const longest = 256

/**
 * The person with this name and password; null if they are wrong. A name that matches several people matches none. Throws 503 if the
 * directory can't be reached.
 */
export function findByPassword(config: LdapConfig, login: string, password: string): Promise<DirectoryPerson | null> {
  // An empty password would be an anonymous bind, which succeeds (RFC 4513, 5.1.2).
  if (password === '' || login === '' || `${login}${password}`.includes('\0') || login.length > longest || password.length > longest)
    return Promise.resolve(null)
  return withClient(config, async (client) => {
    const found = await search(client, config, config.base, { scope: 'sub', filter: filterOf(config, login), sizeLimit: 2 })
    const [person, another] = found
    if (!person || another) return null
    return (await isPasswordOf(client, person.dn, password)) ? person : null
  })
}

/** Runs the work on a bound connection. Throws 503 if there is none. */
export function withDirectory<T>(config: LdapConfig, work: (directory: Directory) => Promise<T>): Promise<T> {
  return withClient(config, (client) =>
    work({
      async find(dn) {
        const found = await searchBelow(client, config, dn)
        return found[0] ?? null
      },
      async groupMembers(dn) {
        const attributes = ['member', 'uniqueMember', 'memberUid']
        const [group] = await orNone(client.search(dn, { scope: 'base', attributes }).then(({ searchEntries }) => searchEntries))
        // Active Directory returns the members of a large group in ranges: `member;range=0-1499`.
        if (!group || Object.keys(group).some((name) => name.includes(';range='))) return null
        const names = [...valuesOf(group, 'member'), ...valuesOf(group, 'uniqueMember')].map(normalizedName)
        return { names: new Set(names), usernames: new Set(valuesOf(group, 'memberUid').map((name) => name.toLowerCase())) }
      },
    }),
  )
}

async function withClient<T>(config: LdapConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const tls = config.ca === null ? {} : { ca: [config.ca] }
  const isSecure = config.url.startsWith('ldaps:')
  const client = new Client({
    url: config.url,
    connectTimeout: connect_ms,
    timeout: answer_ms,
    strictDN: false,
    ...(isSecure
      ? { tlsOptions: tls, createSecureConnection: once(connectSecurely) as typeof connectSecurely }
      : { createConnection: once(connect) as typeof connect }),
  })
  try {
    if (config.start_tls) await client.startTLS({ ...tls, host: new URL(config.url).hostname })
    if (config.bind) await client.bind(config.bind.dn, config.bind.password)
    return await work(client)
  } catch (error) {
    if (error instanceof Failure) throw error
    const said = error instanceof ResultCodeError ? `it answered with ${error.code}` : 'it could not be reached'
    const cause = new Error(`LDAP: ${said}: ${(error as Error).message}`, { cause: error })
    throw new Failure('timed_out', 'The directory cannot be asked now. Try again later.', { cause })
  } finally {
    await client.unbind().catch(() => {})
  }
}

/**
 * Opens one connection only. If it is lost, the client would open another one, which is neither encrypted nor bound, and send the password
 * over it.
 */
function once<A extends unknown[], R>(open: (...args: A) => R): (...args: A) => R {
  let isOpen = false
  return (...args) => {
    if (isOpen) throw new Error('the connection was closed')
    isOpen = true
    return open(...args)
  }
}

function filterOf({ user_filter, attributes }: LdapConfig, login: string): string {
  const named = (attribute: string) => `(${attribute}=${escapeFilter`${login}`})`
  // The sign-in form accepts either.
  const names = login.includes('@') ? `(|${named(attributes.username)}${named(attributes.email)})` : named(attributes.username)
  return `(&${user_filter}${names})`
}

async function search(client: Client, { attributes }: LdapConfig, base: string, options: SearchOptions): Promise<DirectoryPerson[]> {
  const { username, name, email } = attributes
  const { searchEntries } = await client.search(base, { ...options, attributes: [username, name, email] })
  return searchEntries.flatMap((entry) => {
    const [named] = valuesOf(entry, username)
    // Without a username, the entry is not a person.
    if (named === undefined) return []
    return [{ dn: entry.dn, username: named, name: valuesOf(entry, name)[0] ?? named, email: valuesOf(entry, email)[0] ?? null }]
  })
}

/** Returns the entry itself if it is below the base and matches the filter. */
async function searchBelow(client: Client, config: LdapConfig, dn: string): Promise<DirectoryPerson[]> {
  const isBelow = normalizedName(dn).endsWith(`,${normalizedName(config.base)}`)
  return isBelow ? orNone(search(client, config, dn, { scope: 'base', filter: config.user_filter })) : []
}

const noSuchObject = 32
const invalidName = 34

/** Returns nothing if there is no such entry; all other failures are thrown. */
async function orNone<T>(searching: Promise<T[]>): Promise<T[]> {
  try {
    return await searching
  } catch (error) {
    if ([noSuchObject, invalidName].includes(codeOf(error) ?? 0)) return []
    throw error
  }
}

/** Result codes with which a directory rejects a password, including that of a locked account. All others mean that it can't tell. */
const refusals = [19, 48, 49, 50, 53]

async function isPasswordOf(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (refusals.includes(codeOf(error) ?? 0)) return false
    throw error
  }
}

function codeOf(error: unknown): number | null {
  const { code } = error as { code?: unknown }
  return typeof code === 'number' ? code : null
}

/** The values of an attribute, however the directory spells its name. */
function valuesOf(entry: Entry, attribute: string): string[] {
  const [, found = []] = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? []
  return [found].flat().flatMap((value) => {
    const text = typeof value === 'string' ? value.trim() : ''
    return text === '' ? [] : [text]
  })
}
