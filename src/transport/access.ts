/** Who may read or write a repository by git or its large files, whatever the road: HTTP or SSH. */
import { canDownload, canPush, findProject, findProjectOnceAt, type ProjectAccess } from '../access/find.ts'
import { accessLevels, type Scope } from '../access/levels.ts'
import { everything, type Viewer } from '../access/visible.ts'
import type { App } from '../app.ts'
import type { Project, SshKey, User } from '../db/tables.ts'
import { Failure, nullIfMissing } from '../failure.ts'
import { readSettings, type Settings, termsAccepted } from '../features/instance/settings/settings.ts'
import type { KeyHolder } from '../features/people/keys/keys.ts'
import { findDeployKeyProject } from '../features/repository/deploy-keys/deploy-keys.ts'
import { findNamespace, isRedirect } from '../features/spaces/namespaces/namespaces.ts'
import { canCreateIn, createProject, repairProject } from '../features/spaces/projects/projects.ts'
import { createRepository, type Repo } from '../git/repository/repository.ts'

/** Who asks: somebody without a name, a user by whatever he proved it with, or a machine with a key of the project's. */
export type Actor =
  | { kind: 'nobody' }
  | { kind: 'user'; user: User; scopes: readonly Scope[] }
  | { kind: 'deploy-key'; key: SshKey; maker: User | null }

/** Who comes with a key. */
export function actorOfKey({ key, user }: KeyHolder): Actor {
  if (key.kind === 'user' && user) return { kind: 'user', user, scopes: ['api', 'read_repository'] }
  return { kind: 'deploy-key', key, maker: user }
}

export type Protocol = 'http' | 'ssh'
/** Who pushes may make a project by it; who writes needs one that is there. */
export type Purpose = 'read' | 'write' | 'push'

export interface GitSession {
  project: ProjectAccess['project']
  repo: Repo
  /** Who does it: of a deploy key who made it. Null for nobody, who only reads, and for a key whose maker is gone. */
  user: User | null
  /** The access level in the project. */
  level: number
}

/**
 * The rights of who asks. Throws 404 where he can't see the project, 403 with a sentence git shows where he may not do it,
 * 401 for nobody where a name might help: it makes git ask for one. A push by a user to a path that doesn't exist yet
 * creates a private project, if he may create projects there.
 * A path the project had before it was moved is as good as the one it has: `hasMoved` tells.
 */
export async function admit(app: App, asker: Actor, path: string, purpose: Purpose, road: Protocol): Promise<GitSession> {
  const settings = await readSettings(app.db)
  const only = settings.enabled_git_access_protocol
  if (only !== null && only !== road) throw denied(`Git access over ${road.toUpperCase()} is not allowed.`)
  return admitTo(app, asker, { path, purpose, settings })
}

/** As `admit`, for what has no road of its own: large files always come by HTTP, whichever road sent for them. */
export async function admitForLfs(app: App, asker: Actor, path: string, purpose: Purpose): Promise<GitSession> {
  return admitTo(app, asker, { path, purpose, settings: await readSettings(app.db) })
}

async function admitTo(
  app: App,
  asker: Actor,
  { path, purpose, settings }: { path: string; purpose: Purpose; settings: Settings },
): Promise<GitSession> {
  if (asker.kind === 'nobody') return admitNobody(app, path, purpose)
  if (asker.kind === 'user' && asker.user.state === 'active' && !termsAccepted(settings, asker.user))
    throw denied(`You must accept the terms of service first, at ${app.config.url}/-/terms`)
  const session = asker.kind === 'user' ? await admitUser(app, asker, path, purpose) : await admitDeployKey(app, asker, path, purpose)
  const repo = app.git.open(session.project.id)
  // Another request may have made the project this very moment.
  if (purpose !== 'read') {
    await createRepository(repo, app.config.default_branch)
    await repairProject(app, session.project.id, session.project.default_branch)
  }
  return { ...session, repo }
}

type Admitted = Omit<GitSession, 'repo'>

/** Anybody's right to read a public repository; everything else needs a name. */
async function admitNobody(app: App, path: string, purpose: Purpose): Promise<GitSession> {
  const access = purpose === 'read' ? await seek(app, path, null) : null
  if (!access || !canDownload(access, null)) throw accessDenied()
  return { project: access.project, repo: app.git.open(access.project.id), user: null, level: 0 }
}

async function admitUser(
  app: App,
  { user, scopes }: { user: User; scopes: readonly Scope[] },
  path: string,
  purpose: Purpose,
): Promise<Admitted> {
  if (user.state !== 'active') throw denied('Your account has been blocked.')
  const reading = purpose === 'read'
  if (!scopes.includes('api') && !(reading && scopes.includes('read_repository')))
    throw denied('The scope of this token does not reach to git.')
  const access = (await seek(app, path, user)) ?? (purpose === 'push' ? await createByPush(app, user, path) : null)
  if (!access) throw unknownProject()
  if (reading && !canDownload(access, user)) throw denied('You are not allowed to download code from this project.')
  if (!reading && !canPush(access)) throw denied(refusalOfPush(access.project))
  return { project: access.project, user, level: access.level }
}

/**
 * A deploy key reads the projects it is enabled in, and what is public. It pushes as the user who created it, where it may
 * push: with their access level of today, so that it is never worth more than its creator.
 */
async function admitDeployKey(
  app: App,
  { key, maker }: { key: SshKey; maker: User | null },
  path: string,
  purpose: Purpose,
): Promise<Admitted> {
  const found = await seek(app, path, everything)
  const opening = found && (await findDeployKeyProject(app.db, key.id, found.project.id))
  if (!found || (!opening && !canDownload({ ...found, level: 0 }, null))) throw unknownProject()
  const { project } = found
  if (purpose === 'read') return { project, user: maker, level: accessLevels.reporter }
  if (!opening?.can_push) throw denied('This deploy key does not have write access to this project.')
  if (maker?.state !== 'active') throw denied('This deploy key cannot push: the user who created it was blocked or deleted.')
  if (project.archived) throw denied(refusalOfPush(project))
  // By its number: meanwhile another project may stand at the path.
  const own = await seek(app, String(project.id), maker)
  if (!own || !canPush(own))
    throw denied('This deploy key cannot push: the user who created it is not allowed to push code to this project.')
  return { project, user: maker, level: own.level }
}

export function accessDenied(): Failure {
  return new Failure('unauthorized', 'HTTP Basic: Access denied')
}

function unknownProject(): Failure {
  return new Failure('not_found', 'The project you were looking for could not be found.')
}

function denied(sentence: string): Failure {
  return new Failure('forbidden', sentence)
}

function refusalOfPush(project: Project): string {
  return project.archived ? 'You are not allowed to push code to an archived project.' : 'You are not allowed to push code to this project.'
}

/** The project at this path, or that was there before it was moved; null when the viewer can see none. */
function seek(app: App, path: string, viewer: Viewer): Promise<ProjectAccess | null> {
  return findProjectOnceAt(app.db, path, viewer).catch(nullIfMissing)
}

/** Whether who came by this path should take another from now on. */
export function hasMoved({ project }: Pick<GitSession, 'project'>, path: string): boolean {
  return project.full_path.toLowerCase() !== path.toLowerCase()
}

/** Null where he may make none, and where a project was that he can't see: the clones others have of it would go on with his. */
async function createByPush(app: App, user: User, path: string): Promise<ProjectAccess | null> {
  const slash = path.lastIndexOf('/')
  const namespace = await findNamespace(app.db, { path: path.slice(0, slash) })
  if (!namespace || !(await canCreateIn(app, user, namespace)) || (await isRedirect(app.db, path))) return null
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
