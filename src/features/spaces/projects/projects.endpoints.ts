/** Projects (spec 4.9, and where it is silent the public documentation of its version). */
import { accessLevels } from '../../../access/levels.ts'
import { findUser } from '../../../access/users.ts'
import { forbidden, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { anyone, project } from '../../../http/rules.ts'
import { Message, Off } from '../../../http/schema.ts'
import { withCustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { changeProject } from './changes.service.ts'
import { pageOfOwner, pageOfProjects } from './lists.service.ts'
import { presentProject, presentToMaintainer } from './projects.present.ts'
import { Project, ProjectAny, projectFilters, projectParameters } from './projects.schema.ts'
import { removeProject } from './removal.service.ts'

export const projects = [
  listEndpoint('GET /projects', {
    summary: 'List the projects the caller can see',
    access: anyone(),
    query: projectFilters,
    item: ProjectAny,
    fromDatabase: true,
    handle: ({ app, user, query, page }) => pageOfProjects(app, user, query, page),
  }),
  listEndpoint('GET /users/:user_id/projects', {
    summary: 'List the projects in the namespace of a user, of those the caller can see',
    access: anyone(),
    query: projectFilters,
    item: ProjectAny,
    async handle({ app, user, params, query, page }) {
      const owner = await findUser(app.db, params.user_id)
      if (!owner) throw notFound('User')
      return pageOfOwner(app, owner, user, query, page)
    },
  }),
  endpoint('GET /projects/:id', {
    summary: 'Get a project',
    access: project('visible'),
    query: { statistics: Off, ...withCustomAttributes },
    reply: ProjectAny,
    fromDatabase: true,
    handle: ({ app, user, project, level, query }) => presentProject(app, project, user, { ...query, level }),
  }),
  endpoint('PUT /projects/:id', {
    summary: 'Change a project',
    access: project('maintainer'),
    body: projectParameters,
    atLeastOne: Object.keys(projectParameters) as Array<keyof typeof projectParameters>,
    reply: Project,
    fails: { conflict: 409 },
    async handle({ app, user, project, level, body }) {
      const forOwners = body.name !== undefined || body.visibility !== undefined
      if (forOwners && level < accessLevels.owner) throw forbidden()
      return presentToMaintainer(app, await changeProject(app, project, body, user), user)
    },
  }),
  endpoint('DELETE /projects/:id', {
    summary: 'Delete a project, its repository included',
    access: project('owner'),
    reply: Message,
    status: 202,
    fails: { unmodified_since: 412 },
    async handle({ app, project, unmodifiedSince }) {
      requireUnmodified(unmodifiedSince, project.updated_at)
      await removeProject(app, project.id)
      return { message: '202 Accepted' }
    },
  }),
]
