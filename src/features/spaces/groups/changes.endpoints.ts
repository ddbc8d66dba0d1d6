/** Changing and deleting groups, and their projects (spec 4.8). */
import { Type } from 'typebox'
import { findProject } from '../../../access/find.ts'
import { visibilities } from '../../../access/levels.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { administratorOf, type GroupGranted, group } from '../../../http/rules.ts'
import { File, Message, nameInPath, nullable, Off, oneOf, oneOfDefault } from '../../../http/schema.ts'
import { nested, within } from '../../../http/within.ts'
import { customAttributesFilter } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { ProjectAny } from '../projects/projects.schema.ts'
import { pageOfProjects, transferProject } from '../projects/projects.ts'
import { changeGroup, removeGroup } from './changes.service.ts'
import { presentDetails } from './groups.present.ts'
import { GroupDetails } from './groups.schema.ts'

const projectToMove = nested(
  { project_id: nameInPath('Id or full path of the project') },
  async ({ user }: GroupGranted, { project_id }, app) => ({ project: (await findProject(app.db, project_id, user)).project }),
)

export const groupChanges = [
  endpoint('PUT /groups/:id', {
    summary: 'Update a group',
    access: group('owner'),
    body: {
      name: Type.Optional(Type.String()),
      path: Type.Optional(Type.String({ description: 'The paths of everything below the group change with it' })),
      description: Type.Optional(Type.String()),
      visibility: Type.Optional(oneOf(...visibilities)),
      lfs_enabled: Type.Optional(Type.Boolean()),
      request_access_enabled: Type.Optional(Type.Boolean()),
      avatar: Type.Optional(nullable(File)),
    },
    reply: GroupDetails,
    async handle({ app, user, group, body }) {
      return presentDetails(app, await changeGroup(app, group, body, user), user)
    },
  }),
  endpoint('DELETE /groups/:id', {
    summary: 'Delete a group with its subgroups and projects',
    access: group('owner'),
    reply: Message,
    status: 202,
    lastChanged: ({ group }) => group.updated_at,
    async handle({ app, group }) {
      await removeGroup(app, group)
      return { message: '202 Accepted' }
    },
  }),
  listEndpoint('GET /groups/:id/projects', {
    summary: 'List the projects of a group, including those shared with it',
    access: group('visible'),
    query: {
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
      ...customAttributesFilter,
    },
    item: ProjectAny,
    handle: ({ app, user, group, query, page }) => pageOfProjects(app, user, query, page, { group_id: group.id, shared_with_id: group.id }),
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
