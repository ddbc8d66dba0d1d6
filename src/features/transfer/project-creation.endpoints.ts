/** Creates projects: empty ones, and those imported from a URL. */
import { Type } from 'typebox'
import { requireUser } from '../../access/users.ts'
import { endpoint } from '../../http/declare/endpoint.ts'
import { administrator, type SignedIn, signedIn } from '../../http/declare/rules.ts'
import { nested, within } from '../../http/declare/within.ts'
import { Id, Off } from '../../http/parameters/schema.ts'
import { Project, projectParameters } from '../spaces/projects/projects.schema.ts'
import { presentToMaintainer } from '../spaces/projects/projects.ts'
import { createProjectFrom } from './project-creation.ts'

/** The namespace of a new project, and the source of its content. */
const origin = {
  namespace_id: Type.Optional(Id),
  import_url: Type.Optional(Type.String({ description: 'URL of a git repository to import branches and tags from' })),
  initialize_with_readme: Type.Unsafe<boolean>({ ...Off, description: 'Begin with a commit of a README; not with import_url' }),
}

const userById = nested({ user_id: Id }, async (_: SignedIn, { user_id }, app) => ({ owner: await requireUser(app.db, user_id) }))

export const projectCreation = [
  endpoint('POST /projects', {
    summary: 'Create a project',
    access: signedIn(),
    body: { ...projectParameters, ...origin },
    atLeastOne: ['name', 'path'],
    reply: Project,
    handle: async ({ app, user, body }) => presentToMaintainer(app, await createProjectFrom(app, user, body), user),
  }),
  endpoint('POST /projects/user/:user_id', {
    summary: 'Create a project for another user',
    operationId: 'createProjectForUser',
    access: within(administrator(), userById),
    body: { ...projectParameters, ...origin, name: Type.String() },
    reply: Project,
    handle: async ({ app, user, owner, body }) => presentToMaintainer(app, await createProjectFrom(app, owner, body), user),
  }),
]
