/** Who asks for large files: as git over HTTP does, or by a token that was handed out over SSH. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { LfsToken } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { findKeyHolderById } from '../../features/people/keys/keys.ts'
import { findLfsToken, isLfsToken, lfsTokenLife_s, requireLargeFiles } from '../../features/repository/lfs/lfs.ts'
import { type Actor, accessDenied, actorOfKey, admit, admitForLfs, type GitSession } from '../access.ts'
import { authenticateActor, credentialsOf } from '../http-credentials.ts'

export interface LfsCaller {
  asker: Actor
  /** By which the asker came; null for who has credentials of his own. */
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
  if (!isLfsToken(secret)) return { asker: await authenticateActor(app, request), token: null, authorization, expires_in: lfsTokenLife_s }
  const token = await findLfsToken(app.db, secret)
  // Whose key it was, if it would still open the door today.
  const holder = token && (await findKeyHolderById(app, token.key_id))
  if (!holder) throw accessDenied()
  return { asker: actorOfKey(holder), token, authorization, expires_in: Math.floor((Date.parse(token.expires_at) - Date.now()) / 1_000) }
}

/**
 * The rights of the caller in the project, looked up afresh. Throws as `admit` does, and 403 where large files are disabled
 * or a token was handed out for something else.
 */
export async function admitToLfs(app: App, { asker, token }: LfsCaller, path: string, purpose: 'read' | 'write'): Promise<GitSession> {
  // Who came by SSH was judged by the rules of that road when he got the token.
  const session = await (token ? admitForLfs(app, asker, path, purpose) : admit(app, asker, path, purpose, 'http'))
  if (token && (token.project_id !== session.project.id || (purpose === 'write' && token.operation !== 'upload'))) {
    throw new Failure('forbidden', 'This token was handed out for something else.')
  }
  await requireLargeFiles(app.db, session.project)
  return session
}
