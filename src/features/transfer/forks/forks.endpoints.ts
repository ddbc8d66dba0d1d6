/** Forks of projects, and fork relations. */
import { Type } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import { badParameter, Failure } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { ProjectAny, projectFilters } from '../../spaces/projects/projects.schema.ts'
import { pageOfProjects, presentProject } from '../../spaces/projects/projects.ts'
import { endFork, forkProject, relateFork } from './forks.service.ts'

export const forks: Endpoint[] = [
  endpoint('POST /projects/:id/fork', {
    summary: 'Fork a project; branches and tags are copied in the background',
    access: project('signed-in'),
    body: {
      namespace: Type.Optional(
        Type.String({ description: 'Id or full path of a namespace; the personal namespace of the current user by default' }),
      ),
      namespace_id: Type.Optional(Id),
      namespace_path: Type.Optional(Type.String({ description: 'Full path of a namespace' })),
      name: Type.Optional(Type.String()),
      path: Type.Optional(Type.String()),
    },
    reply: ProjectAny,
    fails: ['conflict'],
    async handle({ app, user, access, body: { namespace, namespace_id, namespace_path, ...chosen } }) {
      const targets = [namespace, namespace_id?.toString(), namespace_path === undefined ? undefined : { path: namespace_path }]
      const [target, another] = targets.filter((one) => one !== undefined)
      if (another !== undefined) throw badParameter('namespace, namespace_id, namespace_path are mutually exclusive')
      const fork = await forkProject(app, user, access, { namespace: target, ...chosen })
      return presentProject(app, fork, user, { level: accessLevels.maintainer })
    },
  }),
  listEndpoint('GET /projects/:id/forks', {
    summary: 'List the forks of a project the caller can see',
    access: project('visible'),
    query: projectFilters,
    item: ProjectAny,
    keyset: true,
    handle: ({ app, user, project, query, page }) => pageOfProjects(app, user, query, page, { forked_from_id: project.id }),
  }),
  endpoint('POST /projects/:id/fork/:forked_from_id', {
    summary: 'Create a fork relation between two projects',
    access: project('manage_fork_relation'),
    params: { forked_from_id: Type.String({ description: 'Id or full path of the project it is a fork of' }) },
    reply: ProjectAny,
    fails: ['conflict'],
    async handle({ app, user, project, level, params }) {
      return presentProject(app, await relateFork(app, user, project, params.forked_from_id), user, { level })
    },
  }),
  endpoint('DELETE /projects/:id/fork', {
    summary: 'Remove the fork relation of a project',
    access: project('manage_fork_relation'),
    reply: none,
    fails: ['not_modified'],
    lastChanged: ({ project }) => project.updated_at,
    async handle({ app, user, project }) {
      if (!(await endFork(app, user, project))) throw new Failure('not_modified', '304 Not modified')
      return null
    },
  }),
]
