/** Large files over HTTP, by the Git LFS API. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { notFound } from '../../failure.ts'
import { answerBatch } from './batch.ts'
import { requireAccepted } from './json.ts'
import { createLock, removeLock, showLocks, verifyLocks } from './locks.ts'
import { download, upload, verify } from './objects.ts'

type Answer = (app: App, request: FastifyRequest, reply: FastifyReply, path: string, id: string) => Promise<unknown>

/** Actions with JSON bodies. */
const actions: Record<string, Answer> = {
  'POST objects/batch': answerBatch,
  'POST objects/verify': verify,
  'POST locks': createLock,
  'GET locks': showLocks,
  'POST locks/verify': verifyLocks,
  'POST locks/:id/unlock': removeLock,
}

/** Actions with binary bodies. */
const transfers: Record<string, Answer> = {
  'GET objects/:id': download,
  'HEAD objects/:id': download,
  'PUT objects/:id': upload,
}

/** All actions, for the contract tests. */
export const actionNames = [...Object.keys(actions), ...Object.keys(transfers)]

/** Answers the part of the path after `…/info/lfs/`. */
export async function answerLfs(app: App, request: FastifyRequest, reply: FastifyReply, path: string, action: string): Promise<unknown> {
  const [, id = ''] = /^(?:objects|locks)\/([0-9a-f]{64}$|\d{1,15}(?=\/))/.exec(action) ?? []
  const signature = `${request.method} ${id === '' ? action : action.replace(id, ':id')}`
  const transfer = transfers[signature]
  if (transfer) return transfer(app, request, reply, path, id)
  const answer = actions[signature]
  if (!answer) throw notFound()
  requireAccepted(request)
  return answer(app, request, reply, path, id)
}
