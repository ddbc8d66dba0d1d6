/** Projects (spec 4.9, and where it is silent the public documentation of its version). */
import { Type } from 'typebox'
import { accessLevels, memberLevels, visibilities } from '../../access/levels.ts'
import { findUser } from '../../access/users.ts'
import { forbidden, notFound } from '../../failure.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import { administrator, anyone, project, signedIn } from '../../http/rules.ts'
import { Id, Off, oneOf, oneOfDefault, text } from '../../http/schema.ts'
import { presentProject, presentProjects } from './projects.present.ts'
import { listProjects } from './projects.queries.ts'
import { Project, ProjectAny } from './projects.schema.ts'
import { changeProject, createProject, namespaceFor, removeProject } from './projects.service.ts'

const flag = Type.Optional(Type.Boolean())

const settings = {
  name: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  default_branch: Type.Optional(text(255)),
  description: Type.Optional(Type.String()),
  visibility: Type.Optional(oneOf(...visibilities)),
  issues_enabled: flag,
  merge_requests_enabled: flag,
  jobs_enabled: flag,
  wiki_enabled: flag,
  snippets_enabled: flag,
  container_registry_enabled: flag,
  shared_runners_enabled: flag,
  lfs_enabled: flag,
  public_jobs: flag,
  public_builds: Type.Optional(Type.Boolean({ description: 'The same as public_jobs' })),
  request_access_enabled: flag,
  resolve_outdated_diff_discussions: flag,
  printing_merge_request_link_enabled: flag,
  only_allow_merge_if_pipeline_succeeds: flag,
  only_allow_merge_if_all_discussions_are_resolved: flag,
  merge_method: Type.Optional(oneOf('merge', 'rebase_merge', 'ff')),
  ci_config_path: Type.Optional(Type.String()),
  tag_list: Type.Optional(Type.Array(text(255), { maxItems: 100 })),
}

const filters = {
  archived: flag,
  visibility: Type.Optional(oneOf(...visibilities)),
  order_by: oneOfDefault('created_at', 'id', 'name', 'path', 'updated_at', 'last_activity_at'),
  sort: oneOfDefault('desc', 'asc'),
  search: Type.Optional(Type.String({ description: 'Part of a name, path or description' })),
  simple: Off,
  owned: Off,
  membership: Off,
  statistics: Off,
  with_issues_enabled: Off,
  with_merge_requests_enabled: Off,
  min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
}

export const projects = [
  listEndpoint('GET /projects', {
    summary: 'List the projects the caller can see',
    access: anyone(),
    query: filters,
    item: ProjectAny,
    async handle({ app, user, query, page }) {
      const { rows, total } = await listProjects(app.db, user, query, page)
      return { rows: await presentProjects(app, rows, user, query), total }
    },
  }),
  endpoint('GET /projects/:id', {
    summary: 'Get a project',
    access: project('visible'),
    query: { statistics: Off },
    reply: ProjectAny,
    handle: ({ app, user, project, level, query }) => presentProject(app, project, user, { ...query, level }),
  }),
  endpoint('POST /projects', {
    summary: 'Create a project',
    access: signedIn(),
    body: { ...settings, namespace_id: Type.Optional(Id) },
    atLeastOne: ['name', 'path'],
    reply: Project,
    async handle({ app, user, body: { namespace_id, ...input } }) {
      const namespace = await namespaceFor(app, user, namespace_id)
      const created = await createProject(app, user, namespace, input)
      return presentFull(app, created, user)
    },
  }),
  endpoint('POST /projects/user/:user_id', {
    summary: 'Create a project for another user',
    access: administrator(),
    params: { user_id: Id },
    body: { ...settings, name: Type.String(), namespace_id: Type.Optional(Id) },
    reply: Project,
    async handle({ app, user, params, body: { namespace_id, ...input } }) {
      const owner = await findUser(app.db, String(params.user_id))
      if (!owner) throw notFound('User')
      const namespace = await namespaceFor(app, owner, namespace_id)
      const created = await createProject(app, owner, namespace, input)
      return presentFull(app, created, user)
    },
  }),
  endpoint('PUT /projects/:id', {
    summary: 'Change a project',
    access: project('maintainer'),
    body: settings,
    atLeastOne: Object.keys(settings) as Array<keyof typeof settings>,
    reply: Project,
    async handle({ app, user, project, level, body }) {
      const owners = body.name !== undefined || body.path !== undefined || body.visibility !== undefined
      if (owners && level < accessLevels.owner) throw forbidden()
      return presentFull(app, await changeProject(app, project, body, user), user)
    },
  }),
  endpoint('DELETE /projects/:id', {
    summary: 'Delete a project, its repository included',
    access: project('owner'),
    reply: Type.Object({ message: Type.String() }),
    status: 202,
    async handle({ app, project }) {
      await removeProject(app, project.id)
      return { message: '202 Accepted' }
    },
  }),
]

/** As those see it who administer it. */
async function presentFull(...[app, project, user]: Parameters<typeof presentProject>) {
  return (await presentProject(app, project, user, { level: accessLevels.maintainer })) as Required<
    Awaited<ReturnType<typeof presentProject>>
  >
}
