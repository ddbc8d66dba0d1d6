/** Authenticates Git LFS clients: like git over HTTP, or by a token that was issued over SSH. */
import type { FastifyRequest } from 'fastify'
import type { LocatedProject } from '../../access/find.ts'
import { type GitPrincipal, principalOfKey, userOf } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import type { LfsToken } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { findKeyHolderById } from '../../features/people/keys/keys.ts'
import { findLfsToken, isLfsToken, lfsTokenLife_s, requireLargeFiles } from '../../features/repository/lfs/lfs.ts'
import { countRequest } from '../../http/limits/throttle.ts'
import { admit, admitForLfs, type GitSession } from '../access/access.ts'
import { authenticateGit, credentialsOf } from '../access/http-credentials.ts'
import { accessDenied } from '../access/refusals.ts'

/** Large files belong to a project. */
export type LfsSession = GitSession & { project: LocatedProject }

export interface LfsCaller {
  principal: GitPrincipal
  /** The LFS token that was sent; null for other credentials. */
  token: LfsToken | null
  /** The header that was sent, to be repeated in further requests. */
  authorization: string | null
  /** How long it is valid, in seconds. */
  expires_in: number
}

/** Throws 401 for wrong or expired credentials. */
export async function callerOf(app: App, request: FastifyRequest): Promise<LfsCaller> {
  const authorization = request.headers.authorization ?? null
  const secret = credentialsOf(request)?.secret ?? ''
  if (!isLfsToken(secret)) return { principal: await authenticateGit(app, request), token: null, authorization, expires_in: lfsTokenLife_s }
  const token = await findLfsToken(app.db, secret)
  // The SSH key must still exist and be valid.
  const holder = token && (await findKeyHolderById(app, token.key_id))
  if (!holder) throw accessDenied()
  const principal = principalOfKey(holder)
  await countRequest(app, request, userOf(principal), 'web')
  return { principal, token, authorization, expires_in: Math.floor((Date.parse(token.expires_at) - Date.now()) / 1_000) }
}

/**
 * Authorizes the caller for the project. Throws as `admit` does, and 403 if large files are disabled or the token was issued for something
 * else.
 */
export async function admitToLfs(app: App, { principal, token }: LfsCaller, path: string, purpose: 'read' | 'write'): Promise<LfsSession> {
  // The rules of SSH were checked when the token was issued.
  const enter = (at: string) => (token ? admitForLfs(app, principal, at, purpose) : admit(app, principal, at, purpose, 'http'))
  const session = await ofProject(await enter(path), enter)
  if (token && (token.project_id !== session.project.id || (purpose === 'write' && token.operation !== 'upload'))) {
    throw new Failure('forbidden', 'This token was handed out for something else.')
  }
  await requireLargeFiles(app.db, session.project)
  return session
}

/**
 * Large files of a wiki are stored with those of its project, so the caller needs the same access to the project's code. Groups have no
 * large files.
 */
export async function ofProject(session: GitSession, enter: (path: string) => Promise<GitSession>): Promise<LfsSession> {
  const { project, wiki } = session
  if (!project) throw new Failure('forbidden', 'The wiki of a group has no large files.')
  if (wiki) await enter(project.full_path)
  return { ...session, project }
}
