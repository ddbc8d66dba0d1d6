/** Links of groups to the directory, in the shapes of newer releases. */
import { Type } from 'typebox'
import { memberLevels } from '../../../access/levels.ts'
import type { LdapGroupLink } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrators, group } from '../../../http/declare/rules.ts'
import { Message, none, nullable, resource, text } from '../../../http/parameters/schema.ts'
import { listLinks } from './group-links.queries.ts'
import { addLink, followSoon, removeLinks } from './group-links.service.ts'

const Link = resource('LdapGroupLink', {
  cn: nullable(Type.String()),
  group_access: Type.Integer(),
  provider: Type.String(),
  filter: nullable(Type.String()),
})

const owners = group('edit_group')
const provider = { ...text(255), description: 'ldapmain' }
const cn = { ...text(255), description: 'Common name of a group of the directory' }
const filter = { ...text(1_000), description: 'LDAP filter of its people; for administrators' }

export const directoryLinks = [
  listEndpoint('GET /groups/:id/ldap_group_links', {
    summary: 'List the links of a group to the directory',
    access: owners,
    item: Link,
    async handle({ app, group, page }) {
      const { rows, total } = await listLinks(app.db, group.id, page)
      return { rows: rows.map(presentLink), total }
    },
  }),
  endpoint('POST /groups/:id/ldap_group_links', {
    summary: 'Create a link of a group to the directory',
    access: owners,
    body: {
      group_access: Type.Integer({ enum: memberLevels, description: 'Access level of the members' }),
      provider,
      cn: Type.Optional(cn),
      filter: Type.Optional(filter),
    },
    // By what it finds, a filter tells of attributes that only the directory's own people should read.
    reserved: { filter: [administrators] },
    reply: Link,
    handle: async ({ app, group, body }) => presentLink(await addLink(app, group.id, body)),
  }),
  endpoint('DELETE /groups/:id/ldap_group_links', {
    summary: 'Delete a link of a group to the directory',
    access: owners,
    query: { provider, cn: Type.Optional(cn), filter: Type.Optional(filter) },
    reply: none,
    async handle({ app, group, query }) {
      if (query.cn === undefined && query.filter === undefined) throw invalid('cn or filter is missing')
      await removeLinks(app, group.id, query)
      return null
    },
  }),
  endpoint('DELETE /groups/:id/ldap_group_links/:cn', {
    summary: 'Delete the links of a group to a group of the directory',
    operationId: 'deleteGroupLdapGroupLinksByName',
    access: owners,
    reply: none,
    params: { cn },
    async handle({ app, group, params }) {
      await removeLinks(app, group.id, { cn: params.cn })
      return null
    },
  }),
  endpoint('DELETE /groups/:id/ldap_group_links/:provider/:cn', {
    summary: 'Delete the link of a group to a group of a directory',
    access: owners,
    reply: none,
    params: { provider, cn },
    async handle({ app, group, params }) {
      await removeLinks(app, group.id, params)
      return null
    },
  }),
  endpoint('POST /groups/:id/ldap_sync', {
    summary: 'Follow the directory soon, rather than within the hour',
    operationId: 'syncGroupWithDirectory',
    access: owners,
    status: 202,
    reply: Message,
    async handle({ app }) {
      await followSoon(app)
      return { message: '202 Accepted' }
    },
  }),
]

function presentLink({ cn, group_access, provider, filter }: LdapGroupLink) {
  return { cn: cn || null, group_access, provider, filter: filter || null }
}
