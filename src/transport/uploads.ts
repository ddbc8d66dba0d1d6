/** Uploads of a project, at `<project>/uploads/<secret>/<name>`, for users who can see the project. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findProjectOnceAt } from '../access/find.ts'
import type { App } from '../app.ts'
import { openUpload } from '../features/spaces/uploads/uploads.ts'
import { enterStream } from '../http/limits/streams.ts'
import { targetOf } from '../http/parameters/target.ts'
import { sendBytes } from '../http/serve/bytes.ts'
import { readerOfFile } from './file-caller.ts'

export interface UploadAddress {
  path: string
  secret: string
  filename: string
}

/** Null for any other URL, and for any method other than GET and HEAD. */
export function uploadAddressOf(request: FastifyRequest): UploadAddress | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  const [, path, secret, filename] = /^\/([^/]+\/.+)\/uploads\/([0-9a-f]{32})\/([^/]+)$/.exec(targetOf(request).path) ?? []
  if (path === undefined || secret === undefined || filename === undefined) return null
  return { path: decodeURIComponent(path), secret, filename: decodeURIComponent(filename) }
}

export async function answerUpload(app: App, request: FastifyRequest, reply: FastifyReply, at: UploadAddress): Promise<FastifyReply> {
  const user = await readerOfFile(app, request, reply)
  const { project } = await findProjectOnceAt(app.db, at.path, user)
  return sendBytes(app, request, reply, await openUpload(app, project.id, at.secret, at.filename), () =>
    enterStream(app, request, reply, { user }),
  )
}
