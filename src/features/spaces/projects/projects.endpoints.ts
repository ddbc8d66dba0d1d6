/** Projects (spec 4.9, and where it is silent the public documentation of its version). */
import { findUser } from '../../../access/users.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrators, allowed, anyone, type Granted, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, Off } from '../../../http/parameters/schema.ts'
import { withCustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { changeLimits, limitParameter } from '../../storage/quotas/quotas.ts'
import { type OwnerTie, pageOfOwner, pageOfProjects } from './lists.service.ts'
import { presentProject, presentToMaintainer } from './projects.present.ts'
import { Project, ProjectAny, projectFilters, projectParameters } from './projects.schema.ts'
import { changeProject } from './writes.service.ts'

const namedUser = nested({ user_id: nameInPath('Id or username') }, async (_: Granted, { user_id }, app) => {
  const owner = await findUser(app.db, user_id)
  if (!owner) throw notFound('User')
  return { owner }
})

/** Lists of projects that are related to a user. */
const tied: ReadonlyArray<[path: 'projects' | 'contributed_projects' | 'starred_projects', tie: OwnerTie, summary: string]> = [
  ['projects', 'own', 'List the personal projects of a user the caller can see'],
  ['contributed_projects', 'contributed', 'List the projects a user has contributed to'],
  ['starred_projects', 'starred', 'List the projects a user has starred'],
]

const changeParameters = {
  ...projectParameters,
  repository_size_limit: limitParameter('Of the repository with its large files, in MB; null for the limit above, 0 for none'),
}

export const projects = [
  listEndpoint('GET /projects', {
    summary: 'List the projects the caller can see',
    access: anyone(),
    query: projectFilters,
    item: ProjectAny,
    keyset: true,
    fromDatabase: true,
    handle: ({ app, user, query, page }) => pageOfProjects(app, user, query, page),
  }),
  ...tied.map(([path, tie, summary]) =>
    listEndpoint(`GET /users/:user_id/${path}`, {
      summary,
      access: within(anyone(), namedUser),
      query: projectFilters,
      item: ProjectAny,
      keyset: true,
      handle: ({ app, user, owner, query, page }) => pageOfOwner(app, owner, user, query, page, tie),
    }),
  ),
  endpoint('GET /projects/:id', {
    summary: 'Get a project',
    access: project('visible'),
    query: { statistics: Off, ...withCustomAttributes },
    reply: ProjectAny,
    fromDatabase: true,
    handle: ({ app, user, project, level, query }) => presentProject(app, project, user, { ...query, level }),
  }),
  endpoint('PUT /projects/:id', {
    summary: 'Update a project',
    access: project('edit_project'),
    body: changeParameters,
    atLeastOne: Object.keys(changeParameters) as Array<keyof typeof changeParameters>,
    reserved: { name: [allowed('rename_project')], visibility: [allowed('rename_project')], repository_size_limit: [administrators] },
    reply: Project,
    fails: ['conflict'],
    async handle({ app, user, project, body: { repository_size_limit, ...change } }) {
      const changed = await changeProject(app, project, change, user)
      await changeLimits(app, { project_id: project.id }, { repository_size_limit })
      return presentToMaintainer(app, changed, user)
    },
  }),
]
