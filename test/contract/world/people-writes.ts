/** Prepares writes of keys and addresses, so that they succeed. */

import { now } from '../../../src/db/instants.ts'
import type { UserState } from '../../../src/db/tables.ts'
import { unsubscribeAddresses } from '../../../src/features/notifications/outbox/unsubscribe-address.ts'
import type { LdapConfig } from '../../../src/outgoing/identity-providers/ldap-settings.ts'
import { gpgKey } from '../../support/fixtures/gpg-keys.ts'
import { publicKey } from '../../support/fixtures/ssh-keys.ts'
import type { TestUser } from '../../support/forge.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

let counter = 0

/** Nothing answers at its address. */
const directory: LdapConfig = {
  url: 'ldap://127.0.0.1:1',
  start_tls: false,
  ca: null,
  bind: null,
  base: 'ou=people,dc=example,dc=com',
  user_filter: '(uid=*)',
  attributes: { username: 'uid', name: 'cn', email: 'mail' },
  groups: [],
  group_base: 'ou=groups,dc=example,dc=com',
}

/** @param idOf creates something at a path, and returns its id */
export function peopleWrites(
  { forge, insider, group, project }: ContractFixtures,
  idOf: (path: string, body: unknown, user?: TestUser) => Promise<string>,
): Prepared {
  /** The user of `:id` is the insider. */
  const identity = async (): Promise<Write> => {
    const provider = `provider-${++counter}`
    await forge.as(forge.root).put(`/users/${insider.id}`, { provider, extern_uid: 'x' })
    return { values: { id: String(insider.id), provider } }
  }
  const armed = async (): Promise<Write> => {
    await forge.app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', insider.id).execute()
    return {}
  }
  /** The user of `:id`, in this state until it was asked. */
  const inState = (state: UserState) => async (): Promise<Write> => {
    const give = (to: UserState) => forge.app.db.updateTable('users').set({ state: to }).where('id', '=', insider.id).execute()
    await give(state)
    return { after: () => give('active') }
  }
  const dormant = async (): Promise<Write> => {
    const unseen = { last_activity_on: null, current_sign_in_at: null }
    await forge.app.db.updateTable('users').set(unseen).where('id', '=', insider.id).execute()
    return inState('active')()
  }
  /** A link of the group to a directory, which nobody asks. */
  const link = async (): Promise<Write> => {
    const cn = `directory-group-${++counter}`
    const row = { namespace_id: group.id, provider: 'ldapmain', cn, filter: '', group_access: 30, created_at: now() }
    await forge.app.db.insertInto('ldap_group_links').values(row).execute()
    return { values: { provider: 'ldapmain', cn }, body: { provider: 'ldapmain', cn } }
  }
  const withDirectory = (body?: Record<string, unknown>) => (): Write => {
    const { identity_providers } = forge.app.config
    identity_providers.ldap = directory
    return { ...(body && { body }), after: async () => Object.assign(identity_providers, { ldap: null }) }
  }
  const email = () => ({ email: `fresh-address-${++counter}@example.com` })
  const key = () => ({ title: 'Laptop', key: publicKey() })
  const gpg = async (): Promise<Write> => ({ values: { gpg_key_id: await idOf('/user/gpg_keys', { key: gpgKey() }, insider) } })
  const sshKey = async (): Promise<Write> => ({ values: { key_id: await idOf('/user/keys', key(), insider) } })
  const ofInsider = async (write: Promise<Write>): Promise<Write> => ({ ...(await write), as: insider })
  const address = async (): Promise<Write> => ({ values: { email_id: await idOf('/user/emails', email(), insider) } })
  /** As in mail about an issue. */
  const unsubscription = async (): Promise<Write> => {
    const issue = await forge.issue(project, insider)
    const { one_click } = unsubscribeAddresses(forge.app, { user_id: insider.id, issue_id: issue.id, merge_request_id: null })
    return { values: { key: one_click.split('/').at(-2) as string } }
  }
  return {
    'POST /sent_notifications/:key/one_click': unsubscription,
    'POST /groups/:id/ldap_group_links': withDirectory({ provider: 'ldapmain', cn: 'developers', group_access: 30 }),
    'POST /groups/:id/ldap_sync': withDirectory(),
    'DELETE /groups/:id/ldap_group_links': link,
    'DELETE /groups/:id/ldap_group_links/:cn': link,
    'DELETE /groups/:id/ldap_group_links/:provider/:cn': link,
    'POST /user/keys': () => ({ body: key() }),
    'POST /users/:id/keys': () => ({ body: key() }),
    'POST /deploy_keys': () => ({ body: key() }),
    'DELETE /user/keys/:key_id': () => ofInsider(sshKey()),
    'DELETE /users/:id/keys/:key_id': sshKey,
    'POST /user/gpg_keys': () => ({ body: { key: gpgKey() } }),
    'POST /users/:id/gpg_keys': () => ({ body: { key: gpgKey() } }),
    'POST /user/gpg_keys/:gpg_key_id/revoke': () => ofInsider(gpg()),
    'POST /users/:id/gpg_keys/:gpg_key_id/revoke': gpg,
    'DELETE /user/gpg_keys/:gpg_key_id': () => ofInsider(gpg()),
    'DELETE /users/:id/gpg_keys/:gpg_key_id': gpg,
    'POST /user/emails': () => ({ body: email() }),
    'POST /users/:id/emails': () => ({ body: email() }),
    'DELETE /user/emails/:email_id': () => ofInsider(address()),
    'DELETE /users/:id/emails/:email_id': address,
    'DELETE /users/:id/identities/:provider': identity,
    'PATCH /users/:id/disable_two_factor': armed,
    async 'POST /users/:id/unfollow'() {
      await forge.as(forge.root).post(`/users/${insider.id}/follow`)
      return {}
    },
    'PUT /user/preferences': () => ({ body: { view_diffs_file_by_file: true } }),
    'POST /users/:id/approve': inState('blocked_pending_approval'),
    'POST /users/:id/deactivate': dormant,
    'POST /users/:id/activate': inState('deactivated'),
    'POST /users/:id/ban': inState('active'),
    'POST /users/:id/unban': inState('banned'),
  }
}
