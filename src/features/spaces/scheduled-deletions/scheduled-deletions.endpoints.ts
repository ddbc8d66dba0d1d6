/** Deleting projects and groups, at once or later, and restoring them until then. */
import { Type } from 'typebox'
import { findGroup } from '../../../access/find.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { group, project } from '../../../http/declare/rules.ts'
import { Message, Off } from '../../../http/parameters/schema.ts'
import { GroupDetails } from '../groups/groups.schema.ts'
import { presentDetails } from '../groups/groups.ts'
import { ProjectAny } from '../projects/projects.schema.ts'
import { locateProject, presentProject } from '../projects/projects.ts'
import { deleteGroup, deleteProject, restoreGroup, restoreProject } from './scheduled-deletions.service.ts'

const permanently = {
  permanently_remove: Type.Unsafe<boolean>({ ...Off, description: 'At once; of what is marked for deletion already' }),
  full_path: Type.Optional(Type.String({ description: 'Its full path, with `permanently_remove`' })),
}

const accepted = { message: '202 Accepted' }

export const projectDeletions = [
  endpoint('DELETE /projects/:id', {
    summary: 'Delete a project and its repository',
    access: project('delete_project'),
    query: permanently,
    reply: Message,
    status: 202,
    lastChanged: ({ project }) => project.updated_at,
    async handle({ app, project, query }) {
      await deleteProject(app, project, query)
      return accepted
    },
  }),
  endpoint('POST /projects/:id/restore', {
    summary: 'Restore a project that is marked for deletion',
    access: project('delete_project'),
    reply: ProjectAny,
    async handle({ app, user, project, level }) {
      await restoreProject(app, project.id)
      return presentProject(app, await locateProject(app.db, project.id), user, { level })
    },
  }),
]

export const groupDeletions = [
  endpoint('DELETE /groups/:id', {
    summary: 'Delete a group with its subgroups and projects',
    access: group('delete_group'),
    query: permanently,
    reply: Message,
    status: 202,
    lastChanged: ({ group }) => group.updated_at,
    async handle({ app, group, query }) {
      await deleteGroup(app, group, query)
      return accepted
    },
  }),
  endpoint('POST /groups/:id/restore', {
    summary: 'Restore a group that is marked for deletion, with the projects that were marked with it',
    access: group('delete_group'),
    reply: GroupDetails,
    async handle({ app, user, group }) {
      await restoreGroup(app, group.id)
      return presentDetails(app, (await findGroup(app.db, String(group.id), user)).group, user)
    },
  }),
]
