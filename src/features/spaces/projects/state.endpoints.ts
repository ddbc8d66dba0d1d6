/** Archiving, starring and transferring projects, and their users. */
import { Type } from 'typebox'
import { asId, levelInGroup } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { may } from '../../../access/permissions.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { findNamespace } from '../../namespaces/namespaces.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { listUsersOf } from './details.queries.ts'
import type { Place } from './placement.service.ts'
import { presentProject } from './projects.present.ts'
import { locateProject } from './projects.queries.ts'
import { ProjectAny } from './projects.schema.ts'
import { starProject, unstarProject } from './stars.service.ts'
import { transferProject } from './transfer.service.ts'
import { archiveProject } from './writes.service.ts'

const nothingToDo = () => new Failure('not_modified', '304 Not modified')

export const projectState = [
  endpoint('POST /projects/:id/archive', {
    summary: 'Archive a project; it becomes read-only',
    access: project('archive_project'),
    reply: ProjectAny,
    handle: async ({ app, user, project, level }) => presentProject(app, await archiveProject(app, project, true), user, { level }),
  }),
  endpoint('POST /projects/:id/unarchive', {
    summary: 'Unarchive a project',
    access: project('archive_project'),
    reply: ProjectAny,
    handle: async ({ app, user, project, level }) => presentProject(app, await archiveProject(app, project, false), user, { level }),
  }),
  endpoint('POST /projects/:id/star', {
    summary: 'Star a project',
    access: project('signed-in'),
    reply: ProjectAny,
    fails: ['not_modified'],
    async handle({ app, user, project, level }) {
      if (!(await starProject(app, project.id, user.id))) throw nothingToDo()
      return presentProject(app, await locateProject(app.db, project.id), user, { level })
    },
  }),
  endpoint('POST /projects/:id/unstar', {
    summary: 'Unstar a project',
    access: project('signed-in'),
    reply: ProjectAny,
    fails: ['not_modified'],
    async handle({ app, user, project, level }) {
      if (!(await unstarProject(app, project.id, user.id))) throw nothingToDo()
      return presentProject(app, await locateProject(app.db, project.id), user, { level })
    },
  }),
  endpoint('PUT /projects/:id/transfer', {
    summary: 'Transfer a project to another namespace',
    operationId: 'transferProject',
    access: project('transfer_project'),
    body: { namespace: Type.String({ description: 'Id or full path of a namespace the current user may create projects in' }) },
    reply: ProjectAny,
    fails: ['conflict'],
    async handle({ app, user, project, body }) {
      const moved = await transferProject(app, project, await knownNamespace(app, user, body.namespace), user)
      return presentProject(app, moved, user, { level: accessLevels.owner })
    },
  }),
  listEndpoint('GET /projects/:id/users', {
    summary: 'List the users of a project, including those inherited through groups',
    access: project('visible'),
    query: { search: Type.Optional(Type.String({ description: 'Part of a name or username' })) },
    item: UserBrief,
    async handle({ app, user, project, level, query, page }) {
      // Maintainers and owners can see all groups it is shared with.
      const viewer = may('edit_project', level) ? everything : user
      const { rows, total } = await listUsersOf(app.db, viewer, project, { words: query.search, actor: user }, page)
      return { rows: rows.map((row) => presentUserBrief(app.config, row)), total }
    },
  }),
]

/** Throws 404 for a namespace that the user isn't a member of. */
async function knownNamespace(app: App, user: User, idOrPath: string): Promise<Place> {
  const id = asId(idOrPath)
  const namespace = await findNamespace(app.db, id === null ? { path: idOrPath } : { id })
  const isKnown = namespace && (user.admin || namespace.owner_id === user.id || (await levelInGroup(app.db, namespace.id, user)) > 0)
  if (!namespace || !isKnown) throw notFound('Namespace')
  return namespace
}
