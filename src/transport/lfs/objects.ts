/** Upload, download and verification of large files. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { Failure } from '../../failure.ts'
import { findLargeFiles, isSize, storeLargeFile } from '../../features/repository/lfs/lfs.ts'
import { assertRoom } from '../../features/storage/quotas/quotas.ts'
import type { RawReply } from '../../http/declare/endpoint.ts'
import { enterStream } from '../../http/limits/streams.ts'
import { sendBytes } from '../../http/serve/bytes.ts'
import { asLargeFile } from './batch.ts'
import { admitToLfs, callerOf } from './caller.ts'
import { invalid, readFields, send } from './json.ts'

/** `PUT objects/<oid>`. */
export async function upload(app: App, request: FastifyRequest, reply: FastifyReply, path: string, oid: string): Promise<unknown> {
  const { project, user } = await admitToLfs(app, await callerOf(app, request), path, 'write')
  const size = announcedSize(request)
  await assertRoom(app, project, 'repository', size)
  await enterStream(app, request, reply, { user, direction: 'upload' })
  await storeLargeFile(app, project.id, (request.body ?? request.raw) as Readable, { oid, size })
  return send(reply, {})
}

function announcedSize({ headers }: FastifyRequest): number {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Failure('unsupported', 'An object is sent as it is, not compressed.')
  const size = Number(headers['content-length'])
  if (headers['content-length'] === undefined || !isSize(size)) throw invalid('Its Content-Length must say how many bytes the object has.')
  return size
}

/** `GET objects/<oid>`. */
export async function download(app: App, request: FastifyRequest, reply: FastifyReply, path: string, oid: string): Promise<unknown> {
  const { project, user, machine } = await admitToLfs(app, await callerOf(app, request), path, 'read')
  const found = (await findLargeFiles(app.db, project.id, [oid])).get(oid)
  if (!found) throw unknownObject()
  const bytes: RawReply = {
    etag: `"${oid}"`,
    size: found.size,
    describe: () => ({ type: 'application/octet-stream', 'content-disposition': 'attachment' }),
    open: (part) => app.store.open(found.store_key, part),
  }
  return sendBytes(app, request, reply, bytes, () => enterStream(app, request, reply, { user, machine }))
}

/** `POST objects/verify`: whether the object arrived and belongs to the project. */
export async function verify(app: App, request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  const { project } = await admitToLfs(app, await callerOf(app, request), path, 'write')
  const { oid, size } = asLargeFile(await readFields(request))
  const found = (await findLargeFiles(app.db, project.id, [oid])).get(oid)
  if (!found) throw unknownObject()
  if (found.size !== size) throw invalid(`The object has ${found.size} bytes.`)
  return send(reply, {})
}

function unknownObject(): Failure {
  return new Failure('not_found', 'The project has no such object.')
}
