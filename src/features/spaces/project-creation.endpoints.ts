/** Creating projects: empty ones, and those that are imported from a URL. */
import { Type } from 'typebox'
import { findUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { notFound } from '../../failure.ts'
import { endpoint } from '../../http/endpoint.ts'
import { administrator, signedIn } from '../../http/rules.ts'
import { Id } from '../../http/schema.ts'
import { startImport } from '../transfer/imports/imports.ts'
import { Project, projectParameters } from './projects/projects.schema.ts'
import { createProject, type NewProject, namespaceFor, presentToMaintainer } from './projects/projects.ts'

/** Where a new project goes, and where its content comes from. */
const origin = {
  namespace_id: Type.Optional(Id),
  import_url: Type.Optional(Type.String({ description: 'URL of a git repository, whose branches and tags are fetched' })),
}

export const projectCreation = [
  endpoint('POST /projects', {
    summary: 'Create a project',
    access: signedIn(),
    body: { ...projectParameters, ...origin },
    atLeastOne: ['name', 'path'],
    reply: Project,
    handle: async ({ app, user, body }) => presentToMaintainer(app, await create(app, user, body), user),
  }),
  endpoint('POST /projects/user/:user_id', {
    summary: 'Create a project for another user',
    access: administrator(),
    params: { user_id: Id },
    body: { ...projectParameters, ...origin, name: Type.String() },
    reply: Project,
    async handle({ app, user, params, body }) {
      const owner = await findUser(app.db, String(params.user_id))
      if (!owner) throw notFound('User')
      return presentToMaintainer(app, await create(app, owner, body), user)
    },
  }),
]

interface Wanted extends NewProject {
  namespace_id?: number | undefined
  import_url?: string | undefined
}

async function create(app: App, owner: User, { namespace_id, import_url, ...input }: Wanted) {
  const namespace = await namespaceFor(app, owner, namespace_id)
  return import_url ? startImport(app, owner, namespace, input, import_url) : createProject(app, owner, namespace, input)
}
