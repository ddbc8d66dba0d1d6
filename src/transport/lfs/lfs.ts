/** Large files over HTTP, as the Git LFS API has them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'

/** Answers what comes after `…/info/lfs/`. */
export async function answerLfs(
  _app: App,
  _request: FastifyRequest,
  reply: FastifyReply,
  _path: string,
  _action: string,
): Promise<unknown> {
  return reply.callNotFound()
}
