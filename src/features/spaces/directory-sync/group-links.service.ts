/** Links of groups to the directory: whoever it names is a member, at the level of the link. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { LdapGroupLink } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid, notFound } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { directoryName } from '../../people/provider-sign-in/provider-sign-in.ts'
import { syncDirectoryJob } from './directory-sync.jobs.ts'
import { countLinks, deleteLinks, insertLink, type LinkKey } from './group-links.queries.ts'

export interface NewLink {
  provider: string
  cn?: string | undefined
  filter?: string | undefined
  group_access: number
}

/** Each is a search in the directory every hour. */
const maxLinks = 100

/** Adds a link, and has the directory followed soon. Throws 400 with the errors. */
export async function addLink(
  app: App,
  namespace_id: number,
  { provider, cn = '', filter = '', group_access }: NewLink,
): Promise<LdapGroupLink> {
  const { ldap } = app.config.identity_providers
  if (ldap === null || provider !== directoryName) throw invalid({ provider: ['does not have a valid value'] })
  if ((cn === '') === (filter === '')) throw invalid({ cn: ['or a filter is needed, and not both'] })
  if (cn !== '' && ldap.group_base === null) throw invalid({ cn: ['can not be looked up: the server has no GITSTEAD_LDAP_GROUP_BASE'] })
  const { isFilter } = await import('../../../outgoing/identity-providers/directory.ts')
  if (filter !== '' && !isFilter(filter)) throw invalid({ filter: ['is not an LDAP filter'] })
  try {
    return await inTransaction(app.db, async (tx) => {
      if ((await countLinks(tx, namespace_id)) >= maxLinks)
        throw invalid({ cn: [`is one too many: a group has at most ${maxLinks} links`] })
      const link = await insertLink(tx, { namespace_id, provider, cn, filter, group_access, created_at: now() })
      await publish(tx, { type: 'directory_link_changed', act: 'created', link })
      await enqueue(tx, syncDirectoryJob, {})
      return link
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid({ cn: ['has already been taken'] }, error) : error
  }
}

/** Removes these links. Their members stay until they are removed, as nothing is followed any more. Throws 404 if there are none. */
export function removeLinks(app: App, namespace_id: number, key: LinkKey): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const removed = await deleteLinks(tx, namespace_id, key)
    if (removed.length === 0) throw notFound('Linked LDAP group')
    for (const link of removed) await publish(tx, { type: 'directory_link_changed', act: 'removed', link })
  })
}

/** Has the directory followed soon, rather than within the hour. Throws 404 where there is none. */
export async function followSoon(app: App): Promise<void> {
  if (app.config.identity_providers.ldap === null) throw notFound()
  await inTransaction(app.db, (tx) => enqueue(tx, syncDirectoryJob, {}))
}
