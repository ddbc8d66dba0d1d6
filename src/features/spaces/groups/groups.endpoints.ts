/** Groups (spec 4.8). */
import { Type } from 'typebox'
import { findGroup } from '../../../access/find.ts'
import { memberLevels, visibilities } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { anyone, group, signedIn } from '../../../http/declare/rules.ts'
import { File, Id, nullable, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { customAttributesFilter, withCustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { type CountedDetails, type GroupView, presentDetails, presentGroups } from './groups.present.ts'
import { type GroupFilter, listGroups } from './groups.queries.ts'
import { Group, GroupDetails, secondFactorOfMembers } from './groups.schema.ts'
import { createGroup } from './groups.service.ts'

const filters = {
  search: Type.Optional(Type.String({ description: 'Part of a name or path' })),
  skip_groups: Type.Optional(Type.Array(Id, { maxItems: 1_000 })),
  all_available: Type.Optional(
    Type.Boolean({ description: 'Include groups the current user is not a member of; the default for administrators' }),
  ),
  owned: Type.Boolean({ default: false, description: 'Only groups the current user owns directly, without their subgroups' }),
  min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
  order_by: oneOfDefault('name', 'path', 'id'),
  sort: oneOfDefault('asc', 'desc'),
  visibility: Type.Optional(oneOf(...visibilities)),
  archived: Type.Optional(Type.Boolean({ description: 'Only archived groups, or only others' })),
  active: Type.Optional(Type.Boolean({ description: 'Only groups that are neither archived nor marked for deletion, or only others' })),
  statistics: Type.Boolean({ default: false, description: 'Include storage statistics in bytes; for administrators' }),
  ...customAttributesFilter,
}

export const groups = [
  listEndpoint('GET /groups', {
    summary: 'List groups',
    access: anyone(),
    query: { ...filters, top_level_only: Type.Boolean({ default: false, description: 'Without subgroups' }) },
    item: Group,
    fromDatabase: true,
    keyset: true,
    handle: ({ app, user, query, page }) => pageOfGroups(app, user, query, page),
  }),
  listEndpoint('GET /groups/:id/subgroups', {
    summary: 'List the direct subgroups of a group',
    access: group('visible'),
    query: filters,
    item: Group,
    keyset: true,
    handle: ({ app, user, group, query, page }) => pageOfGroups(app, user, { ...query, parent_id: group.id }, page),
  }),
  listEndpoint('GET /groups/:id/descendant_groups', {
    summary: 'List the groups below a group, at any depth',
    access: group('visible'),
    query: filters,
    item: Group,
    keyset: true,
    handle: ({ app, user, group, query, page }) => pageOfGroups(app, user, { ...query, ancestor_id: group.id }, page),
  }),
  listEndpoint('GET /groups/:id/groups/shared', {
    summary: 'List the groups that are shared with a group',
    access: group('visible'),
    query: filters,
    item: Group,
    keyset: true,
    handle: ({ app, user, group, query, page }) =>
      pageOfGroups(app, user, { ...query, all_available: query.all_available ?? true, shared_with_id: group.id }, page),
  }),
  endpoint('GET /groups/:id', {
    summary: 'Get a group',
    access: group('visible'),
    query: {
      with_projects: Type.Boolean({
        default: true,
        description: 'With the 100 newest projects of each kind; X-Total-Projects and X-Total-Shared-Projects say how many there are',
      }),
      statistics: Type.Boolean({ default: false, description: 'Include storage statistics and limits in bytes; for owners' }),
      ...withCustomAttributes,
    },
    reply: GroupDetails,
    headers: countsOf,
    handle: ({ app, user, group, level, query }) => presentDetails(app, group, user, { ...query, level }),
  }),
  endpoint('POST /groups', {
    summary: 'Create a group',
    access: signedIn(),
    body: {
      name: Type.String(),
      path: Type.String(),
      description: Type.Optional(Type.String()),
      visibility: Type.Optional(oneOf(...visibilities)),
      lfs_enabled: Type.Boolean({ default: true }),
      request_access_enabled: Off,
      ...secondFactorOfMembers,
      avatar: Type.Optional(nullable(File)),
      parent_id: Type.Optional(Id),
    },
    reply: GroupDetails,
    async handle({ app, user, body: { parent_id, ...input } }) {
      const parent = parent_id === undefined ? null : await findGroup(app.db, String(parent_id), user)
      return presentDetails(app, await createGroup(app, user, input, parent), user)
    },
  }),
]

function countsOf({ project_count, shared_project_count }: CountedDetails): Record<string, string> {
  if (project_count === undefined) return {}
  return { 'x-total-projects': String(project_count), 'x-total-shared-projects': String(shared_project_count) }
}

async function pageOfGroups(app: App, user: User | null, query: GroupFilter & GroupView, page: Page) {
  const { rows, ...place } = await listGroups(app.db, user, { ...query, all_available: query.all_available ?? user?.admin }, page)
  return { rows: await presentGroups(app, rows, user, query), ...place }
}
