/** Changing and deleting groups, and their projects (spec 4.8). */
import { Type } from 'typebox'
import { findGroup, findProject } from '../../../access/find.ts'
import { memberLevels, visibilities } from '../../../access/levels.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administratorOf, administrators, type GroupGranted, group } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { File, Id, nameInPath, nullable, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { customAttributesFilter } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { changeLimits, limitParameter } from '../../storage/quotas/quotas.ts'
import { ProjectAny } from '../projects/projects.schema.ts'
import { pageOfProjects, transferProject } from '../projects/projects.ts'
import { archiveGroup, unarchiveGroup } from './archiving.service.ts'
import { presentDetails } from './groups.present.ts'
import { GroupDetails, secondFactorOfMembers } from './groups.schema.ts'
import { transferGroup } from './transfer.service.ts'
import { changeGroup } from './writes.service.ts'

const projectToMove = nested(
  { project_id: nameInPath('Id or full path of the project') },
  async ({ user }: GroupGranted, { project_id }, app) => ({ project: (await findProject(app.db, project_id, user)).project }),
)

const projectFilters = {
  archived: Off,
  visibility: Type.Optional(oneOf(...visibilities)),
  order_by: oneOfDefault('created_at', 'id', 'name', 'path', 'updated_at', 'last_activity_at'),
  sort: oneOfDefault('desc', 'asc'),
  search: Type.Optional(Type.String({ description: 'Part of a name, path or description' })),
  simple: Off,
  owned: Off,
  starred: Off,
  with_issues_enabled: Off,
  with_merge_requests_enabled: Off,
  min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
  topic: Type.Optional(Type.String({ maxLength: 1_000, description: 'Names of topics, with commas between them: all of them' })),
  ...customAttributesFilter,
}

export const groupWrites = [
  endpoint('PUT /groups/:id', {
    summary: 'Update a group',
    access: group('edit_group'),
    body: {
      name: Type.Optional(Type.String()),
      path: Type.Optional(Type.String({ description: 'The paths of everything below the group change with it' })),
      description: Type.Optional(Type.String()),
      visibility: Type.Optional(oneOf(...visibilities)),
      lfs_enabled: Type.Optional(Type.Boolean()),
      request_access_enabled: Type.Optional(Type.Boolean()),
      ...secondFactorOfMembers,
      avatar: Type.Optional(nullable(File)),
      repository_size_limit: limitParameter('Of each repository in it, in MB; null for the limit above, 0 for none'),
      storage_size_limit: limitParameter('Of everything in it, in MB; null for that of the server, 0 for none'),
    },
    reserved: { repository_size_limit: [administrators], storage_size_limit: [administrators] },
    reply: GroupDetails,
    async handle({ app, user, group, body: { repository_size_limit, storage_size_limit, ...change } }) {
      const changed = await changeGroup(app, group, change, user)
      await changeLimits(app, { namespace_id: group.id }, { repository_size_limit, storage_size_limit })
      return presentDetails(app, changed, user)
    },
  }),
  endpoint('POST /groups/:id/transfer', {
    summary: 'Transfer a group to another group, or to the top',
    operationId: 'transferGroup',
    access: group('edit_group'),
    body: { group_id: Type.Optional(nullable(Type.Unsafe<number>({ ...Id, description: 'The new parent group; the top when absent' }))) },
    reply: GroupDetails,
    async handle({ app, user, group, body: { group_id = null } }) {
      const parent = group_id === null ? null : (await findGroup(app.db, String(group_id), user)).group
      return presentDetails(app, await transferGroup(app, group, parent, user), user)
    },
  }),
  endpoint('POST /groups/:id/archive', {
    summary: 'Archive a group with everything below it',
    access: group('archive_group'),
    reply: GroupDetails,
    fails: ['unprocessable'],
    handle: async ({ app, user, group }) => presentDetails(app, await archiveGroup(app, group.id), user),
  }),
  endpoint('POST /groups/:id/unarchive', {
    summary: 'Unarchive a group',
    access: group('archive_group'),
    reply: GroupDetails,
    fails: ['unprocessable'],
    handle: async ({ app, user, group }) => presentDetails(app, await unarchiveGroup(app, group.id), user),
  }),
  listEndpoint('GET /groups/:id/projects', {
    summary: 'List the projects of a group, including those shared with it',
    access: group('visible'),
    query: {
      ...projectFilters,
      include_subgroups: Type.Boolean({ default: false, description: 'Include the projects of all groups below' }),
      with_shared: Type.Boolean({ default: true, description: 'Include projects that are shared with the group' }),
    },
    item: ProjectAny,
    keyset: true,
    handle: ({ app, user, group: { id }, query: { include_subgroups, with_shared, ...filter }, page }) =>
      pageOfProjects(app, user, filter, page, {
        ...(include_subgroups ? { ancestor_id: id } : { group_id: id }),
        ...(with_shared && { shared_with_id: id }),
      }),
  }),
  listEndpoint('GET /groups/:id/projects/shared', {
    summary: 'List the projects that are shared with a group',
    access: group('visible'),
    query: projectFilters,
    item: ProjectAny,
    keyset: true,
    handle: ({ app, user, group, query, page }) => pageOfProjects(app, user, query, page, { shared_with_id: group.id }),
  }),
  endpoint('POST /groups/:id/projects/:project_id', {
    summary: 'Transfer a project to a group',
    operationId: 'transferProjectToGroup',
    access: within(administratorOf(group('signed-in')), projectToMove),
    reply: GroupDetails,
    fails: ['conflict'],
    async handle({ app, user, group, project }) {
      await transferProject(app, project, group, user)
      return presentDetails(app, group, user)
    },
  }),
]
