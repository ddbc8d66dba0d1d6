/** Groups (spec 4.8). */
import { Type } from 'typebox'
import { findGroup } from '../../access/find.ts'
import { memberLevels, visibilities } from '../../access/levels.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import { anyone, group, signedIn } from '../../http/rules.ts'
import { Id, Off, oneOfDefault } from '../../http/schema.ts'
import { projectsOfGroup } from '../projects/projects.service.ts'
import { presentGroups } from './groups.present.ts'
import { listGroups } from './groups.queries.ts'
import { Group, GroupDetails } from './groups.schema.ts'
import { createGroup } from './groups.service.ts'

const filters = {
  search: Type.Optional(Type.String({ description: 'Part of a name or path' })),
  skip_groups: Type.Optional(Type.Array(Type.Integer(), { maxItems: 1_000 })),
  all_available: Type.Optional(Type.Boolean({ description: 'Also groups the caller is no member of; the default for administrators' })),
  owned: Off,
  min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
  order_by: oneOfDefault('name', 'path', 'id'),
  sort: oneOfDefault('asc', 'desc'),
}

export const groups = [
  listEndpoint('GET /groups', {
    summary: 'List groups',
    access: anyone(),
    query: filters,
    item: Group,
    async handle({ app, user, query, page }) {
      const { rows, total } = await listGroups(app.db, user, { ...query, all_available: query.all_available ?? user?.admin }, page)
      return { rows: await presentGroups(app, rows), total }
    },
  }),
  listEndpoint('GET /groups/:id/subgroups', {
    summary: 'List the direct subgroups of a group',
    access: group('visible'),
    query: filters,
    item: Group,
    async handle({ app, user, group, query, page }) {
      const filter = { ...query, all_available: query.all_available ?? user?.admin, parent_id: group.id }
      const { rows, total } = await listGroups(app.db, user, filter, page)
      return { rows: await presentGroups(app, rows), total }
    },
  }),
  endpoint('GET /groups/:id', {
    summary: 'Get a group, with its projects',
    access: group('visible'),
    query: { with_projects: Type.Boolean({ default: true }) },
    reply: GroupDetails,
    async handle({ app, user, group, query }) {
      const [presented] = await presentGroups(app, [group])
      if (!query.with_projects) return presented as NonNullable<typeof presented>
      return { ...(presented as NonNullable<typeof presented>), projects: await projectsOfGroup(app, group.id, user), shared_projects: [] }
    },
  }),
  endpoint('POST /groups', {
    summary: 'Create a group',
    access: signedIn(),
    body: {
      name: Type.String(),
      path: Type.String(),
      description: Type.Optional(Type.String()),
      visibility: oneOfDefault(...visibilities),
      lfs_enabled: Type.Boolean({ default: true }),
      request_access_enabled: Off,
      parent_id: Type.Optional(Id),
    },
    reply: GroupDetails,
    async handle({ app, user, body }) {
      const parent = body.parent_id === undefined ? null : await findGroup(app.db, String(body.parent_id), user)
      const created = await createGroup(app, user, body, parent)
      const [presented] = await presentGroups(app, [created])
      return { ...(presented as NonNullable<typeof presented>), projects: [], shared_projects: [] }
    },
  }),
]
