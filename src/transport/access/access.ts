/** Authorizes reads and writes of a repository and its large files, over HTTP and SSH. */
import { isOn, mayUse } from '../../access/features.ts'
import { asId, canDownload, canPush, findGroup, findProject, type ProjectAccess } from '../../access/find.ts'
import type { Scope } from '../../access/levels.ts'
import {
  type Anonymous,
  type DeployKeyHolder,
  type DeployTokenHolder,
  type GitPrincipal,
  type OAuthHolder,
  type Person,
  type TokenHolder,
  userOf,
} from '../../access/principals.ts'
import { mayAct, refusalOfUser } from '../../access/states.ts'
import { everything } from '../../access/visible.ts'
import { findWiki, mayCloneWiki, mayWriteWiki, type WikiHome, wikiPath } from '../../access/wikis.ts'
import type { App } from '../../app.ts'
import type { SshKey, User, Wiki } from '../../db/tables.ts'
import { Failure, nullIfMissing } from '../../failure.ts'
import { openOrCreateWiki } from '../../features/documents/wikis/wikis.ts'
import { readSettings, type Settings, termsAccepted } from '../../features/instance/settings/settings.ts'
import { findNamespace, isRedirect } from '../../features/namespaces/namespaces.ts'
import { branchesOpenTo, openPush, openWikiPush, refusalOfWiki } from '../../features/repository/pushes/pushes.ts'
import { canCreateIn, createProject, repairProject } from '../../features/spaces/projects/projects.ts'
import { showingMergeRequests } from '../../git/repository/handles.ts'
import { createRepository, type Repo } from '../../git/repository/repository.ts'
import type { ReceiveHandlers } from '../../git/wire/hooks.ts'
import { admitJob, findForJob } from './jobs.ts'
import { admitDeployKey, admitDeployToken } from './machines.ts'
import { accessDenied, denied, findVisible, outOfScope, refusalOfPush, unknownProject } from './refusals.ts'

/** A client that authenticated over SSH, and its key. */
export interface SshCaller {
  principal: Person | DeployKeyHolder
  key: SshKey
}

/** Users whose credential has scopes. */
type ScopedUser = Person | TokenHolder | OAuthHolder

export type Protocol = 'http' | 'ssh'
/** `push` may create the project; `write` requires an existing one. */
export type Purpose = 'read' | 'write' | 'push'

export interface GitSession {
  /** Current path of the repository, without `.git`; that of a wiki ends in `.wiki`. */
  path: string
  /** The project, also for its wiki; null for the wiki of a group. */
  project: ProjectAccess['project'] | null
  /** Set for the repository of a wiki. */
  wiki: { home: WikiHome; row: Wiki } | null
  repo: Repo
  /** The user; for a deploy key, its creator. Null for anonymous reads, deploy tokens, and a key whose creator was deleted. */
  user: User | null
  /** Key by which limits of streams count a deploy token; null for all other callers. */
  machine: string | null
  /** Access level in the project. */
  level: number
}

/**
 * Authorizes the principal. Throws 404 if they can't see the project, 403 with a sentence for git to show if they lack permission, and 401
 * for anonymous clients, which makes git ask for credentials. A push by a user to a path that doesn't exist creates a private project, if
 * they may create projects there. Former paths of projects are accepted, too: see `hasMoved`.
 */
export async function admit(app: App, principal: GitPrincipal, path: string, purpose: Purpose, protocol: Protocol): Promise<GitSession> {
  const settings = await readSettings(app.db)
  const only = settings.enabled_git_access_protocol
  if (only !== null && only !== protocol) throw denied(`Git access over ${protocol.toUpperCase()} is not allowed.`)
  return admitTo(app, principal, { path, purpose, settings })
}

/** As `admit`, without checking the allowed protocol: large files always use HTTP, even for SSH clients. */
export async function admitForLfs(app: App, principal: GitPrincipal, path: string, purpose: Purpose): Promise<GitSession> {
  return admitTo(app, principal, { path, purpose, settings: await readSettings(app.db) })
}

async function admitTo(
  app: App,
  principal: GitPrincipal,
  { path, purpose, settings }: { path: string; purpose: Purpose; settings: Settings },
): Promise<GitSession> {
  const user = userOf(principal)
  if (user && mayAct(user) && !termsAccepted(settings, user))
    throw denied(`You must accept the terms of service first, at ${app.config.url}/-/terms`)
  const wiki = await admitToWiki(app, principal, path, purpose)
  if (wiki) return wiki
  if (principal.kind === 'anonymous') return admitAnonymous(app, path, purpose)
  const session = await admitPrincipal(app, principal, path, purpose)
  if (!isOn(session.project.repository_access_level)) throw denied('The repository of this project is disabled.')
  const repo = repositoryFor(app, session)
  // Another request may just have created the project.
  if (purpose !== 'read') {
    await createRepository(repo, app.config.default_branch)
    await repairProject(app, session.project.id, session.project.default_branch)
  }
  return { ...session, path: session.project.full_path, wiki: null, repo }
}

type Admitted = Pick<GitSession, 'user' | 'machine' | 'level'> & { project: ProjectAccess['project'] }

function admitPrincipal(
  app: App,
  principal: Exclude<GitPrincipal, { kind: 'anonymous' }>,
  path: string,
  purpose: Purpose,
): Promise<Admitted> {
  switch (principal.kind) {
    case 'person':
    case 'token':
    case 'oauth':
      return admitUser(app, principal, path, purpose)
    case 'job':
      return admitJob(app, principal, path, purpose)
    case 'deploy-key':
      return admitDeployKey(app, principal, path, purpose)
    case 'deploy-token':
      return admitDeployToken(app, principal, path, purpose)
  }
}

/** Anonymous clients may read public repositories. */
async function admitAnonymous(app: App, path: string, purpose: Purpose): Promise<GitSession> {
  const access = purpose === 'read' ? await findVisible(app, path, null) : null
  if (!access || !canDownload(access, null)) throw accessDenied()
  const { project } = access
  return { path: project.full_path, project, wiki: null, repo: repositoryFor(app, access), user: null, machine: null, level: 0 }
}

/** The repository with the refs that they may see. */
function repositoryFor(app: App, access: ProjectAccess): Repo {
  return showingMergeRequests(app.git.open(access.project.id), mayUse('merge_requests', access))
}

const writingScopes: readonly Scope[] = ['api', 'write_repository']
const readingScopes: readonly Scope[] = [...writingScopes, 'read_repository']

async function admitUser(app: App, { user, scopes }: ScopedUser, path: string, purpose: Purpose): Promise<Admitted> {
  assertMayUseGit({ user, scopes }, purpose)
  const reading = purpose === 'read'
  // Creating a project requires `api`: a token without it is limited to existing repositories.
  const mayCreate = purpose === 'push' && scopes.includes('api')
  const access = (await findVisible(app, path, user)) ?? (mayCreate ? await createByPush(app, user, path) : null)
  if (!access) throw unknownProject()
  if (reading && !canDownload(access, user)) throw denied('You are not allowed to download code from this project.')
  if (!reading && !canPush(access) && !(await mayCollaborate(app, user, access))) throw denied(refusalOfPush(access.project))
  return { project: access.project, user, machine: null, level: access.level }
}

/** Throws 403 where the user may not act, or the token is for other things. */
function assertMayUseGit({ user, scopes }: Pick<ScopedUser, 'user' | 'scopes'>, purpose: Purpose): void {
  const refusal = refusalOfUser(user)
  if (refusal !== null) throw denied(refusal)
  const suffice = purpose === 'read' ? readingScopes : writingScopes
  if (!scopes.some((scope) => suffice.includes(scope))) throw outOfScope()
}

/** Whether an open merge request lets them push to one of its branches; which one is checked for each change. */
async function mayCollaborate(app: App, user: User, { project, level }: ProjectAccess): Promise<boolean> {
  return (await branchesOpenTo(app, { user, project, level })).size > 0
}

/**
 * The session for the path of a wiki: `group/project.wiki` or `group.wiki`. Null if a project has that very path, or if the principal can
 * see no project or group at the rest of it. The repository is created at the first access by someone who may write to it.
 */
async function admitToWiki(app: App, principal: GitPrincipal, path: string, purpose: Purpose): Promise<GitSession | null> {
  const [, base] = /^(.+)\.wiki$/i.exec(path) ?? []
  if (base === undefined || asId(base) !== null || (await findProject(app.db, path, everything).catch(nullIfMissing))) return null
  const found = await findHomeOf(app, principal, base, purpose)
  if (!found) return null
  const { home, user, machine, mayClone } = found
  if (purpose === 'read' ? !mayClone : user === null || !mayWriteWiki(home, user)) {
    if (principal.kind === 'anonymous') throw accessDenied()
    throw denied(purpose === 'read' ? 'You are not allowed to download this wiki.' : (refusalOfWiki(home, user) ?? 'You cannot push.'))
  }
  const mayCreate = user !== null && mayWriteWiki(home, user)
  if (!mayCreate && !(await findWiki(app.db, home))) throw new Failure('not_found', 'This wiki has no pages yet.')
  const row = await openOrCreateWiki(app, home)
  const project = home.kind === 'project' ? home.row : null
  return { path: wikiPath(home.row), project, wiki: { home, row }, repo: app.git.openWiki(row.id), user, machine, level: home.level }
}

interface FoundHome extends Pick<GitSession, 'user' | 'machine'> {
  home: WikiHome
  mayClone: boolean
}

async function findHomeOf(app: App, principal: GitPrincipal, path: string, purpose: Purpose): Promise<FoundHome | null> {
  if (principal.kind === 'deploy-key' || principal.kind === 'deploy-token') return findHomeOfMachine(app, principal, path, purpose)
  if (principal.kind !== 'job') return findHome(app, principal, path, purpose)
  const found = await findForJob(app, principal, path, purpose)
  if (!found) return null
  const home: WikiHome = { kind: 'project', row: found.project, level: found.level }
  return { home, mayClone: mayCloneWiki(home, found.user), user: principal.user, machine: null }
}

/** Null if they can see neither a project nor a group at the path. */
async function findHome(app: App, principal: Anonymous | ScopedUser, path: string, purpose: Purpose): Promise<FoundHome | null> {
  const user = userOf(principal)
  if (principal.kind !== 'anonymous') assertMayUseGit(principal, purpose)
  const inProject = await findVisible(app, path, user)
  const inGroup = inProject ? null : await findGroup(app.db, path, user).catch(nullIfMissing)
  if (inProject) {
    const home: WikiHome = { kind: 'project', row: inProject.project, level: inProject.level }
    return { home, mayClone: mayCloneWiki(home, user), user, machine: null }
  }
  if (!inGroup) return null
  const home: WikiHome = { kind: 'group', row: inGroup.group, level: inGroup.level }
  return { home, mayClone: mayCloneWiki(home, user), user, machine: null }
}

/** Deploy keys and deploy tokens have access to the wikis of the projects whose code they can access. */
async function findHomeOfMachine(
  app: App,
  principal: DeployKeyHolder | DeployTokenHolder,
  path: string,
  purpose: Purpose,
): Promise<FoundHome> {
  const { project, user, machine, level } = await (principal.kind === 'deploy-key'
    ? admitDeployKey(app, principal, path, purpose)
    : admitDeployToken(app, principal, path, purpose))
  const home: WikiHome = { kind: 'project', row: project, level }
  return { home, mayClone: mayCloneWiki(home, null), user, machine }
}

/** Checks and records pushes of this user to the repository of the session. */
export function handlersOf(app: App, { project, wiki, level }: GitSession, user: User): ReceiveHandlers {
  if (wiki) return openWikiPush(app, { user, home: wiki.home, wiki: wiki.row })
  if (!project) throw new Error('a session is of a project or of a wiki')
  return openPush(app, { project, user, level })
}

/** Whether the client used a former path. */
export function hasMoved(session: Pick<GitSession, 'path'>, path: string): boolean {
  return session.path.toLowerCase() !== path.toLowerCase()
}

/**
 * Null if the user may not create one, or if the path formerly belonged to a project they can't see: clones of that project would follow to
 * the new one.
 */
async function createByPush(app: App, user: User, path: string): Promise<ProjectAccess | null> {
  const slash = path.lastIndexOf('/')
  if (slash < 0) return null
  const namespace = await findNamespace(app.db, { path: path.slice(0, slash) })
  if (!namespace || !(await canCreateIn(app, user, namespace)) || (await isRedirect(app.db, path))) return null
  try {
    await createProject(app, user, namespace, { path: path.slice(slash + 1), visibility: 'private' })
  } catch (error) {
    // A concurrent push may have created it.
    const made = await findVisible(app, path, user)
    if (!made) throw error
    return made
  }
  return findProject(app.db, path, user)
}
