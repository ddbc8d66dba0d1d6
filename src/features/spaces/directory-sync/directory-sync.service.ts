/** Synchronizes users and groups with the LDAP directory: who still exists, and who is in which group. */
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import type { DirectoryPerson, GroupMembers, MemberSource } from '../../../outgoing/identity-providers/directory.ts'
import type { LdapConfig } from '../../../outgoing/identity-providers/ldap-settings.ts'
import { findNamespace } from '../../namespaces/namespaces.ts'
import { type Identity, type IdentityState, identitiesAt } from '../../people/identities/identities.ts'
import { directoryName, followDirectory } from '../../people/provider-sign-in/provider-sign-in.ts'
import { addMember, changeMember, everyMember, removeMember } from '../members/members.ts'
import { allLinks } from './group-links.queries.ts'

/** A user with an identity in the directory; without a person if they were removed or disabled there. */
interface Known {
  user_id: number
  identity: Identity
  person: DirectoryPerson | null
}

/** Users from `source` become members of this group with this level. */
interface Mapping {
  group: string
  access_level: number
  source: MemberSource
}

const atOnce = 500

/**
 * Looks up every identity, blocks and unblocks users, and sets the members of groups. Throws, without a change, if the directory is
 * unavailable.
 */
export async function syncDirectory(app: App, stopping?: AbortSignal): Promise<void> {
  const { ldap } = app.config.identity_providers
  if (ldap === null) return
  const identities = await listIdentities(app.db)
  if (identities.length === 0) return
  const { withDirectory } = await import('../../../outgoing/identity-providers/directory.ts')
  const known: Known[] = []
  const mappings = [...configured(ldap), ...(await linked(app.db))]
  const found = new Map<string, GroupMembers | null>()
  await withDirectory(ldap, async (directory) => {
    for (const { user_id, provider, extern_uid } of identities) {
      if (stopping?.aborted) return
      known.push({ user_id, identity: { provider, extern_uid }, person: await directory.find(extern_uid) })
    }
    for (const { source } of mappings) {
      if (stopping?.aborted) return
      const key = keyOf(source)
      if (!found.has(key)) found.set(key, await directory.membersOf(source))
    }
  })
  if (stopping?.aborted) return
  if (known.every(({ person }) => person === null)) {
    app.log.error({ users: known.length }, 'directory: nobody found, so nobody blocked; check GITSTEAD_LDAP_BASE and the filter')
    return
  }
  for (const { identity, person, user_id } of known) {
    const isChanged = await unlessRefused(app, { user_id }, () => followDirectory(app, identity, person !== null))
    if (isChanged) app.log.info({ user_id, isThere: person !== null }, 'directory: user blocked or unblocked')
  }
  for (const path of new Set(mappings.map(({ group }) => group))) {
    const mapped = mappings.filter(({ group }) => group === path)
    const levels = levelsIn(mapped, found, known)
    if (levels === null) app.log.warn({ group: path }, 'directory: group not found there, or too large; its members stay as they are')
    else await syncGroup(app, path, known, levels)
  }
}

function configured({ groups }: LdapConfig): Mapping[] {
  return groups.map(({ dn, group, access_level }) => ({ group, access_level, source: { dn } }))
}

async function linked(db: Db): Promise<Mapping[]> {
  const links = await allLinks(db)
  return links.map(({ path, group_access, cn, filter }) => ({
    group: path,
    access_level: group_access,
    source: cn === '' ? { filter } : { cn },
  }))
}

function keyOf(source: MemberSource): string {
  return JSON.stringify(source)
}

async function listIdentities(db: Db): Promise<IdentityState[]> {
  const identities: IdentityState[] = []
  for (let after = '', more = true; more; ) {
    const rows = await identitiesAt(db, directoryName, after, atOnce)
    identities.push(...rows)
    after = rows.at(-1)?.extern_uid ?? ''
    more = rows.length === atOnce
  }
  return identities
}

/** The access level of each user in one of the directory's groups; null if one of these can't be read. */
function levelsIn(mapped: Mapping[], found: Map<string, GroupMembers | null>, known: Known[]): Map<number, number> | null {
  const levels = new Map<number, number>()
  for (const { source, access_level } of mapped) {
    const members = found.get(keyOf(source)) ?? null
    if (members === null) return null
    for (const { user_id, identity, person } of known) {
      const isIn = person && (members.names.has(identity.extern_uid) || members.usernames.has(person.username.toLowerCase()))
      if (isIn) levels.set(user_id, Math.max(access_level, levels.get(user_id) ?? 0))
    }
  }
  return levels
}

/** Members who sign in with the directory are set as it says; all others are kept. */
async function syncGroup(app: App, path: string, known: Known[], levels: Map<number, number>): Promise<void> {
  const group = await findNamespace(app.db, { path })
  if (group?.kind !== 'group') return app.log.warn({ group: path }, 'directory: no such group here')
  const place = { namespace_id: group.id }
  const before = new Map((await everyMember(app.db, place)).map(({ user_id, access_level }) => [user_id, access_level]))
  for (const { user_id } of known) {
    const [was, is] = [before.get(user_id), levels.get(user_id)]
    if (was === is) continue
    await unlessRefused(app, { user_id, group: path }, async () => {
      if (is === undefined) await removeMember(app, place, user_id)
      else if (was === undefined) await addMember(app, place, { user_id, access_level: is, expires_at: null })
      else await changeMember(app, place, user_id, { access_level: is })
    })
  }
}

/** A user who can't be changed, such as the last administrator or last owner, doesn't prevent the change of others. */
async function unlessRefused<T>(app: App, fields: object, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error
    app.log.warn({ ...fields, reason: error.message }, 'directory: user not changed')
    return null
  }
}
