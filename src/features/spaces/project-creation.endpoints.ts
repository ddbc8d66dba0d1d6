/** Creating projects: empty ones, and those that are imported from a URL. */
import { Type } from 'typebox'
import { findProject, type LocatedProject } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import { requireUser } from '../../access/users.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { endpoint } from '../../http/endpoint.ts'
import { administrator, type SignedIn, signedIn } from '../../http/rules.ts'
import { Id, Off } from '../../http/schema.ts'
import { nested, within } from '../../http/within.ts'
import { commitActions } from '../repository/commit-actions/commit-actions.ts'
import { startImport } from '../transfer/imports/imports.ts'
import { Project, projectParameters } from './projects/projects.schema.ts'
import { createProject, type NewProject, namespaceFor, presentToMaintainer, removeProject } from './projects/projects.ts'

/** Where a new project goes, and where its content comes from. */
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
  initialize_with_readme: boolean
}

async function create(app: App, owner: User, { namespace_id, import_url, initialize_with_readme, ...input }: Wanted) {
  const namespace = await namespaceFor(app, owner, namespace_id)
  if (import_url) return startImport(app, owner, namespace, input, import_url)
  const project = await createProject(app, owner, namespace, input)
  return initialize_with_readme ? commitReadme(app, owner, project, input.default_branch ?? app.config.default_branch) : project
}

/** The first commit, through the same steps as any other. Without it there is no project. */
async function commitReadme(app: App, user: User, project: LocatedProject, branch: string): Promise<LocatedProject> {
  const content = `# ${project.name}\n${project.description ? `\n${project.description}\n` : ''}`
  const action = { action: 'create', file_path: 'README.md', content, encoding: 'text' } as const
  try {
    // Creating the project includes the right to its first commit.
    await commitActions(app, { user, project, level: accessLevels.maintainer }, { branch, commit_message: 'Initial commit' }, [action])
  } catch (error) {
    await removeProject(app, project.id)
    throw error
  }
  return (await findProject(app.db, String(project.id), user)).project
}
