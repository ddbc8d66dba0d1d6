/** Forks of projects: creating and listing them, and changing fork relations. */
import { Type } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import { Failure } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { project } from '../../../http/rules.ts'
import { none } from '../../../http/schema.ts'
import { ProjectAny, projectFilters } from '../../spaces/projects/projects.schema.ts'
import { pageOfProjects, presentProject } from '../../spaces/projects/projects.ts'
import { endFork, forkProject, relateFork } from './forks.service.ts'

export const forks: Endpoint[] = [
  endpoint('POST /projects/:id/fork', {
    summary: 'Fork a project; its branches and tags follow in the background',
    access: project('signed-in'),
    body: {
      namespace: Type.Optional(Type.String({ description: "Id or full path of a namespace; the caller's own when absent" })),
      name: Type.Optional(Type.String()),
      path: Type.Optional(Type.String()),
    },
    reply: ProjectAny,
    fails: { conflict: 409 },
    async handle({ app, user, project, level, body }) {
      const fork = await forkProject(app, user, { project, level }, body)
      return presentProject(app, fork, user, { level: accessLevels.maintainer })
    },
  }),
  listEndpoint('GET /projects/:id/forks', {
    summary: 'List the forks of a project that the caller can see',
    access: project('visible'),
    query: projectFilters,
    item: ProjectAny,
    handle: ({ app, user, project, query, page }) => pageOfProjects(app, user, query, page, { forked_from_id: project.id }),
  }),
  endpoint('POST /projects/:id/fork/:forked_from_id', {
    summary: 'Create a fork relation between two existing projects',
    access: project('owner'),
    params: { forked_from_id: Type.String({ description: 'Id or full path of the other' }) },
    reply: ProjectAny,
    fails: { conflict: 409 },
    async handle({ app, user, project, level, params }) {
      return presentProject(app, await relateFork(app, user, project, params.forked_from_id), user, { level })
    },
  }),
  endpoint('DELETE /projects/:id/fork', {
    summary: 'Say that a project is a fork of another no more',
    access: project('owner'),
    reply: none,
    fails: { not_modified: 304, unmodified_since: 412 },
    async handle({ app, project, unmodifiedSince }) {
      requireUnmodified(unmodifiedSince, project.updated_at)
      if (!(await endFork(app, project))) throw new Failure('not_modified', '304 Not modified')
      return null
    },
  }),
]
