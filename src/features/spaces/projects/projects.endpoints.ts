/** Projects (spec 4.9, and where it is silent the public documentation of its version). */
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels, visibilities } from '../../../access/levels.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator, anyone, project, signedIn } from '../../../http/rules.ts'
import { File, Id, Message, nullable, Off, oneOf, text } from '../../../http/schema.ts'
import { withCustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { startImport } from '../../transfer/imports/imports.service.ts'
import { changeProject } from './changes.service.ts'
import { pageOfOwner, pageOfProjects } from './lists.service.ts'
import { presentInFull, presentProject } from './projects.present.ts'
import { Project, ProjectAny, projectFilters } from './projects.schema.ts'
import { createProject, type NewProject, namespaceFor, removeProject } from './projects.service.ts'

const flag = Type.Optional(Type.Boolean())

const settings = {
  name: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  default_branch: Type.Optional(text(255)),
  description: Type.Optional(nullable(Type.String())),
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
  ci_config_path: Type.Optional(nullable(Type.String())),
  tag_list: Type.Optional(nullable(Type.Array(text(2_000), { maxItems: 100, description: 'Or one text, with commas between the tags' }))),
  avatar: Type.Optional(nullable(File)),
}

/** Where a new project goes, and where its content comes from. */
const origin = {
  namespace_id: Type.Optional(Id),
  import_url: Type.Optional(Type.String({ description: 'URL of a git repository, whose branches and tags are fetched' })),
}

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
  endpoint('POST /projects', {
    summary: 'Create a project',
    access: signedIn(),
    body: { ...settings, ...origin },
    atLeastOne: ['name', 'path'],
    reply: Project,
    handle: async ({ app, user, body }) => presentToMaintainer(app, await make(app, user, body), user),
  }),
  endpoint('POST /projects/user/:user_id', {
    summary: 'Create a project for another user',
    access: administrator(),
    params: { user_id: Id },
    body: { ...settings, ...origin, name: Type.String() },
    reply: Project,
    async handle({ app, user, params, body }) {
      const owner = await findUser(app.db, String(params.user_id))
      if (!owner) throw notFound('User')
      return presentToMaintainer(app, await make(app, owner, body), user)
    },
  }),
  endpoint('PUT /projects/:id', {
    summary: 'Change a project',
    access: project('maintainer'),
    body: settings,
    atLeastOne: Object.keys(settings) as Array<keyof typeof settings>,
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

interface Wanted extends NewProject {
  namespace_id?: number | undefined
  import_url?: string | undefined
}

async function make(app: App, owner: User, { namespace_id, import_url, ...input }: Wanted) {
  const namespace = await namespaceFor(app, owner, namespace_id)
  return import_url ? startImport(app, owner, namespace, input, import_url) : createProject(app, owner, namespace, input)
}

/** As those see it who administer it. */
async function presentToMaintainer(app: App, project: LocatedProject, user: User) {
  const [presented] = await presentInFull(app, [project], user, { level: accessLevels.maintainer })
  return presented as NonNullable<typeof presented>
}
