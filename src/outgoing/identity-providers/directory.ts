/**
 * An LDAP directory: checks names and passwords, finds people, and reads members of groups. Each call opens its own connection, since a
 * bind applies to the whole connection.
 */
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { Client, type Entry, escapeFilter, FilterParser, ResultCodeError, type SearchOptions } from 'ldapts'
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
  membersOf: (source: MemberSource) => Promise<GroupMembers | null>
}

/** A group by its distinguished name or by its common name, or whoever matches a filter. */
export type MemberSource = { dn: string } | { cn: string } | { filter: string }

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
      async membersOf(source) {
        if ('filter' in source) return matching(client, config, source.filter)
        const dn = 'dn' in source ? source.dn : await groupNamed(client, config, source.cn)
        return dn === null ? null : membersOfGroups(client, config, dn)
      },
    }),
  )
}

/** Whether it is a filter in the syntax of RFC 4515. */
export function isFilter(text: string): boolean {
  try {
    FilterParser.parseString(text)
    return true
  } catch {
    return false
  }
}

const isGroup = '(|(objectClass=group)(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))'
/** Groups within a group that are read for it. */
const maxGroups = 1_000

/** The members of a group and of all groups in it, each read once, so that a circle ends. */
async function membersOfGroups(client: Client, config: LdapConfig, dn: string): Promise<GroupMembers | null> {
  const members: GroupMembers = { names: new Set(), usernames: new Set() }
  const queued = [dn]
  const seen = new Set([normalizedName(dn)])
  for (let next = queued.shift(); next !== undefined; next = queued.shift()) {
    const isFirst = next === dn
    const group = await readGroup(client, next, isFirst ? undefined : isGroup)
    // A person below the groups, or a group that is gone.
    if (group === null && !isFirst) continue
    // Active Directory returns the members of a large group in ranges: `member;range=0-1499`.
    if (group === null || Object.keys(group).some((name) => name.includes(';range='))) return null
    for (const username of valuesOf(group, 'memberUid')) members.usernames.add(username.toLowerCase())
    for (const name of [...valuesOf(group, 'member'), ...valuesOf(group, 'uniqueMember')].map(normalizedName)) {
      members.names.add(name)
      if (!mayBeGroup(config, name) || seen.has(name)) continue
      if (seen.size === maxGroups) return null
      seen.add(name)
      queued.push(name)
    }
  }
  return members
}

async function readGroup(client: Client, dn: string, filter = '(objectClass=*)'): Promise<Entry | null> {
  const attributes = ['member', 'uniqueMember', 'memberUid']
  const [group] = await orNone(client.search(dn, { scope: 'base', filter, attributes }).then(({ searchEntries }) => searchEntries))
  return group ?? null
}

/** By its place: looking up each person to find out would take as many searches as a group has members. */
function mayBeGroup({ base, group_base }: LdapConfig, name: string): boolean {
  return group_base !== null && isBelow(name, group_base) && (isBelow(group_base, base) || !isBelow(name, base))
}

/** The one group of this common name; null for none, or several. */
async function groupNamed(client: Client, { group_base }: LdapConfig, cn: string): Promise<string | null> {
  if (group_base === null) return null
  const filter = `(&${isGroup}(cn=${escapeFilter`${cn}`}))`
  const found = client.search(group_base, { scope: 'sub', filter, attributes: ['cn'], sizeLimit: 2 })
  const [group, another] = await orNone(found.then(({ searchEntries }) => searchEntries))
  return group === undefined || another !== undefined ? null : group.dn
}

/** The people who may sign in and match the filter; null if the directory doesn't tell all of them. */
async function matching(client: Client, config: LdapConfig, filter: string): Promise<GroupMembers | null> {
  if (!isFilter(filter)) return null
  try {
    const people = await search(client, config, config.base, { scope: 'sub', filter: `(&${config.user_filter}${filter})`, paged: true })
    return { names: new Set(people.map(({ dn }) => normalizedName(dn))), usernames: new Set() }
  } catch (error) {
    if (codeOf(error) === sizeLimitExceeded) return null
    throw error
  }
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
  return isBelow(dn, config.base) ? orNone(search(client, config, dn, { scope: 'base', filter: config.user_filter })) : []
}

function isBelow(dn: string, base: string): boolean {
  return normalizedName(dn).endsWith(`,${normalizedName(base)}`)
}

const sizeLimitExceeded = 4
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
