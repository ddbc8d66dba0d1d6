/** What the directory (LDAP) says of users who sign in with it: who is still there, and who is in which group. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import type { Directory, DirectoryPerson } from '../../../outgoing/identity-providers/directory.ts'
import type { LdapGroup } from '../../../outgoing/identity-providers/ldap-settings.ts'
import { findNamespace } from '../../namespaces/namespaces.ts'
import { type Identity, identitiesAt } from '../../people/identities/identities.ts'
import { directoryName, followDirectory } from '../../people/provider-sign-in/provider-sign-in.ts'
import { addMember, changeMember, everyMember, removeMember } from '../members/members.ts'

/** A user with an identity in the directory; without a person where they are gone from it, or disabled. */
interface Known {
  user_id: number
  identity: Identity
  person: DirectoryPerson | null
}

const atOnce = 500

/**
 * Looks up every identity, blocks and unblocks users, and makes the members of groups those of the directory. Throws where the directory
 * can't be asked, and then nobody is blocked.
 */
export async function syncDirectory(app: App, stopping?: AbortSignal): Promise<void> {
  const { ldap } = app.config.identity_providers
  if (ldap === null) return
  const { withDirectory } = await import('../../../outgoing/identity-providers/directory.ts')
  await withDirectory(ldap, async (directory) => {
    const known = await lookUpAll(app, directory, stopping)
    if (stopping?.aborted || known.length === 0) return
    if (known.every(({ person }) => person === null)) {
      app.log.error({ users: known.length }, 'directory: nobody found, so nobody blocked; check GITSTEAD_LDAP_BASE and the filter')
      return
    }
    for (const { identity, person, user_id } of known) {
      const isChanged = await unlessRefused(app, { user_id }, () => followDirectory(app, identity, person !== null))
      if (isChanged) app.log.info({ user_id, isThere: person !== null }, 'directory: user blocked or unblocked')
    }
    for (const path of new Set(ldap.groups.map(({ group }) => group)))
      await syncGroup(app, directory, known, { path, mapped: ldap.groups.filter(({ group }) => group === path) })
  })
}

async function lookUpAll(app: App, directory: Directory, stopping: AbortSignal | undefined): Promise<Known[]> {
  const known: Known[] = []
  for (let after = '', more = true; more && !stopping?.aborted; ) {
    const identities = await identitiesAt(app.db, directoryName, after, atOnce)
    for (const { user_id, ...identity } of identities) known.push({ user_id, identity, person: await directory.find(identity.extern_uid) })
    after = identities.at(-1)?.extern_uid ?? ''
    more = identities.length === atOnce
  }
  return known
}

/** Of the members, those who sign in with the directory are as it says; all others stay as they are. */
async function syncGroup(app: App, directory: Directory, known: Known[], { path, mapped }: { path: string; mapped: LdapGroup[] }) {
  const group = await findNamespace(app.db, { path })
  if (group?.kind !== 'group') return app.log.warn({ group: path }, 'directory: no such group here')
  const levels = new Map<number, number>()
  for (const { dn, access_level } of mapped) {
    const members = await directory.groupMembers(dn)
    if (members === null) return app.log.warn({ group: path, dn }, 'directory: no such group there; its members stay as they are')
    for (const { user_id, identity, person } of known) {
      const isIn = person && (members.dns.has(identity.extern_uid) || members.usernames.has(person.username.toLowerCase()))
      if (isIn) levels.set(user_id, Math.max(access_level, levels.get(user_id) ?? 0))
    }
  }
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

/** One user who can't be changed, such as the last administrator or the last owner of a group, holds up nobody else. */
async function unlessRefused<T>(app: App, fields: object, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error
    app.log.warn({ ...fields, reason: error.message }, 'directory: user not changed')
    return null
  }
}
