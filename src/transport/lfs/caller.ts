/** Who asks for large files: as git over HTTP does, or by a token that was handed out over SSH. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { LfsToken } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { findKeyHolderById } from '../../features/people/keys/keys.service.ts'
import { requireLargeFiles } from '../../features/repository/lfs/lfs.service.ts'
import { findLfsToken, isLfsToken, lfsTokenLife_s } from '../../features/repository/lfs/tokens.service.ts'
import { type Actor, accessDenied, actorOfKey, admit, admitForLfs, type GitSession } from '../access/access.ts'
import { authenticateActor, credentialsOf } from '../access/http-credentials.ts'

export interface LfsCaller {
  actor: Actor
  /** By which the actor came; null for who has credentials of his own. */
  token: LfsToken | null
  /** The header he came with: he is told to come with it again. */
  authorization: string | null
  /** How long it is good for, in seconds. */
  expires_in: number
}

/** Throws 401 for credentials that are wrong, or count no more. */
export async function callerOf(app: App, request: FastifyRequest): Promise<LfsCaller> {
  const authorization = request.headers.authorization ?? null
  const secret = credentialsOf(request)?.secret ?? ''
  if (!isLfsToken(secret)) return { actor: await authenticateActor(app, request), token: null, authorization, expires_in: lfsTokenLife_s }
  const token = await findLfsToken(app.db, secret)
  // Whose key it was, if it would still open the door today.
  const holder = token && (await findKeyHolderById(app, token.key_id))
  if (!holder) throw accessDenied()
  return { actor: actorOfKey(holder), token, authorization, expires_in: Math.floor((Date.parse(token.expires_at) - Date.now()) / 1_000) }
}

/**
 * The rights of the caller in the project, looked up afresh. Throws as `admit` does, and 403 where large files are disabled
 * or a token was handed out for something else.
 */
export async function admitToLfs(app: App, { actor, token }: LfsCaller, path: string, purpose: 'read' | 'write'): Promise<GitSession> {
  // Who came by SSH was judged by the rules of that road when he got the token.
  const session = await (token ? admitForLfs(app, actor, path, purpose) : admit(app, actor, path, purpose, 'http'))
  if (token && (token.project_id !== session.project.id || (purpose === 'write' && token.operation !== 'upload'))) {
    throw new Failure('forbidden', 'This token was handed out for something else.')
  }
  await requireLargeFiles(app.db, session.project)
  return session
}
