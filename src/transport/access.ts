/** Who may read or write a repository by git, whatever the road: HTTP now, SSH later. */
import { canDownload, canPush, findProject, type ProjectAccess } from '../access/find.ts'
import type { Credential } from '../access/tokens.ts'
import type { App } from '../app.ts'
import type { Project, User } from '../db/tables.ts'
import { Failure } from '../failure.ts'
import { findNamespace } from '../features/namespaces/namespaces.service.ts'
import { canCreateIn, createProject } from '../features/projects/projects.service.ts'
import type { Service } from '../git/packs.ts'
import { createRepository, type Repo } from '../git/repository.ts'

export interface GitSession {
  project: ProjectAccess['project']
  repo: Repo
  user: User | null
  /** The user's access level in the project. */
  level: number
}

/** Anybody's right to read a public repository; everything else needs a name. Throws 401, which makes git ask for one. */
export async function admitAnybody(app: App, path: string, service: Service): Promise<GitSession> {
  const access = service === 'git-upload-pack' ? await seek(app, path, null) : null
  if (!access || !canDownload(access, null)) throw accessDenied()
  return { project: access.project, repo: app.git.open(access.project.id), user: null, level: 0 }
}

/**
 * The rights of a user. Throws 404 where he can't see the project, 403 with a sentence git shows where he may not do it.
 * A push to a path that doesn't exist yet creates a private project, if he may create projects there.
 */
export async function admitUser(app: App, { user, scopes }: Credential, path: string, service: Service): Promise<GitSession> {
  if (user.state !== 'active') throw denied('Your account has been blocked.')
  const reading = service === 'git-upload-pack'
  if (!scopes.includes('api') && !(reading && scopes.includes('read_repository')))
    throw denied('The scope of this token does not reach to git.')
  const access = (await seek(app, path, user)) ?? (reading ? null : await createByPush(app, user, path))
  if (!access) throw new Failure('not_found', 'The project you were looking for could not be found.')
  if (reading && !canDownload(access, user)) throw denied('You are not allowed to download code from this project.')
  if (!reading && !canPush(access)) throw denied(refusalOfPush(access.project))
  const repo = app.git.open(access.project.id)
  // Another request may have made the project this very moment.
  if (!reading) await createRepository(repo, app.config.default_branch)
  return { project: access.project, repo, user, level: access.level }
}

export function accessDenied(): Failure {
  return new Failure('unauthorized', 'HTTP Basic: Access denied')
}

function denied(sentence: string): Failure {
  return new Failure('forbidden', sentence)
}

function refusalOfPush(project: Project): string {
  return project.archived ? 'You are not allowed to push code to an archived project.' : 'You are not allowed to push code to this project.'
}

/** The project at this path; null when the viewer can see none there. */
function seek(app: App, path: string, viewer: User | null): Promise<ProjectAccess | null> {
  return findProject(app.db, path, viewer).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  })
}

async function createByPush(app: App, user: User, path: string): Promise<ProjectAccess | null> {
  const slash = path.lastIndexOf('/')
  const namespace = await findNamespace(app.db, { path: path.slice(0, slash) })
  if (!namespace || !(await canCreateIn(app, user, namespace))) return null
  try {
    await createProject(app, user, namespace, { path: path.slice(slash + 1), visibility: 'private' })
  } catch (error) {
    // Another push made it first: then that is the project.
    const made = await seek(app, path, user)
    if (!made) throw error
    return made
  }
  return findProject(app.db, path, user)
}
