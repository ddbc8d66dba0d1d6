/** Creating projects: empty ones, and those that are imported from a URL. */
import { Type } from 'typebox'
import { requireUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { endpoint } from '../../http/endpoint.ts'
import { administrator, type SignedIn, signedIn } from '../../http/rules.ts'
import { Id } from '../../http/schema.ts'
import { nested, within } from '../../http/within.ts'
import { startImport } from '../transfer/imports/imports.ts'
import { Project, projectParameters } from './projects/projects.schema.ts'
import { createProject, type NewProject, namespaceFor, presentToMaintainer } from './projects/projects.ts'

/** Where a new project goes, and where its content comes from. */
const origin = {
  namespace_id: Type.Optional(Id),
  import_url: Type.Optional(Type.String({ description: 'URL of a git repository to import branches and tags from' })),
}

const userById = nested({ user_id: Id }, async (_: SignedIn, { user_id }, app) => ({ owner: await requireUser(app.db, user_id) }))

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
    operationId: 'createProjectForUser',
    access: within(administrator(), userById),
    body: { ...projectParameters, ...origin, name: Type.String() },
    reply: Project,
    handle: async ({ app, user, owner, body }) => presentToMaintainer(app, await create(app, owner, body), user),
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
