/** Creates projects with their first content: none, first files, or an import from a URL. */
import { findProject, type LocatedProject } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { fillIn, gitignores, licenses } from '../instance/templates/templates.ts'
import { commitActions } from '../repository/commit-actions/commit-actions.ts'
import { createProject, type NewProject, namespaceFor, removeProject } from '../spaces/projects/projects.ts'
import { startImport } from './imports/imports.ts'

export interface WantedProject extends NewProject {
  /** The user's own namespace by default. */
  namespace_id?: number | undefined
  import_url?: string | undefined
  initialize_with_readme: boolean
  /** Key of a license template, for a file `LICENSE`; an unknown key is ignored. */
  license?: string | undefined
  /** Name of a .gitignore template; an unknown name is ignored. */
  gitignore?: string | undefined
}

/** Throws as `namespaceFor`, `createProject` and `startImport` do. If the first commit fails, the project is removed. */
export async function createProjectFrom(app: App, owner: User, wanted: WantedProject): Promise<LocatedProject> {
  const { namespace_id, import_url, initialize_with_readme, license, gitignore, ...input } = wanted
  const namespace = await namespaceFor(app, owner, namespace_id)
  if (import_url) return startImport(app, owner, namespace, input, import_url)
  const project = await createProject(app, owner, namespace, input)
  const files = [
    ...(initialize_with_readme ? [readmeOf(project)] : []),
    ...licenseFile(license, owner, project),
    ...(gitignore !== undefined && Object.hasOwn(gitignores, gitignore) ? [fileOf('.gitignore', gitignores[gitignore] as string)] : []),
  ]
  return files.length === 0 ? project : commitFirst(app, owner, project, input.default_branch ?? app.config.default_branch, files)
}

function fileOf(file_path: string, content: string) {
  return { action: 'create', file_path, content, encoding: 'text' } as const
}

function readmeOf({ name, description }: LocatedProject) {
  return fileOf('README.md', `# ${name}\n${description ? `\n${description}\n` : ''}`)
}

function licenseFile(key: string | undefined, { name: fullname }: User, { name: project }: LocatedProject) {
  const license = licenses.find((one) => one.key === key)
  if (!license) return []
  return [fileOf('LICENSE', fillIn(license.content, { year: String(new Date().getFullYear()), project, fullname }))]
}

/** The first commit takes the same steps as any other. */
async function commitFirst(
  app: App,
  user: User,
  project: LocatedProject,
  branch: string,
  files: ReturnType<typeof fileOf>[],
): Promise<LocatedProject> {
  try {
    // The right to create the project includes that to its first commit.
    await commitActions(app, { user, project, level: accessLevels.maintainer }, { branch, commit_message: 'Initial commit' }, files)
  } catch (error) {
    await removeProject(app, project.id)
    throw error
  }
  return (await findProject(app.db, String(project.id), user)).project
}
