/** Routes below the HTTP URL of a repository: the git protocol, Git LFS, uploads, and files of releases. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { asStorageFailure } from '../db/storage-failure.ts'
import { Failure } from '../failure.ts'
import { countRequest } from '../http/limits/throttle.ts'
import { isOfGit, targetOf } from '../http/parameters/target.ts'
import { answerError, setRefusalHeaders } from '../http/reply/errors.ts'
import { inWords } from './access/failure-text.ts'
import { answerInLfs } from './lfs/json.ts'
import { answerLfs } from './lfs/lfs.ts'
import { answerReleaseFile, isReleaseFile, releaseFileOf } from './release-files.ts'
import { answerRefs, answerService, asService } from './smart-http.ts'
import { answerUpload, uploadAddressOf } from './uploads.ts'

/**
 * At least a namespace and a name, or the wiki of a group; project ids aren't accepted here. The last match counts: groups may be called
 * `info` and `lfs`.
 */
const address = /^\/([^/]+\/.+|[^/]+\.wiki(?:\.git)?)\/(info\/refs|git-upload-pack|git-receive-pack|info\/lfs\/(.+))$/

/** Among the URLs that no endpoint handles, these are for programs; all others are pages. */
const forPrograms = /^[^?]*\/uploads\/[0-9a-f]{32}\/[^/?]+(\?|$)|^\/api\//

/** Lets two routes share the wildcard: the URL alone determines which of them applies. */
const byClient: Parameters<FastifyInstance['addConstraintStrategy']>[0] = {
  name: 'client',
  storage() {
    const handlers = new Map()
    return { get: (client) => handlers.get(client) ?? null, set: (client, handler) => void handlers.set(client, handler) }
  },
  deriveConstraint: ({ url = '' }) =>
    isOfGit(url) || forPrograms.test(url) || isReleaseFile(targetOf({ url }).path) ? 'program' : 'browser',
}

/** Call it before the first route: those that are there are all built again. */
export function distinguishClients(server: FastifyInstance): void {
  server.addConstraintStrategy(byClient)
}

/** The wildcard for URLs that no endpoint handles, on a server that distinguishes clients. */
export async function repositoryRoutes(server: FastifyInstance, app: App): Promise<void> {
  await server.register(async (scope) => {
    // Bodies stay streams: a push of any size is never held in memory.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_, body, done) => done(null, body))
    scope.setErrorHandler((error, request, reply) => answererOf(request)(error, request, reply))
    scope.route({
      method: ['GET', 'POST', 'PUT', 'DELETE'],
      url: '/*',
      constraints: { client: 'program' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      handler: (request, reply) => answer(app, request, reply),
    })
  })
}

async function answer(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const upload = uploadAddressOf(request)
  if (upload) return answerUpload(app, request, reply, upload)
  const file = releaseFileOf(request)
  if (file) return answerReleaseFile(app, request, reply, file)
  const [, sent, action, large] = partsOf(request)
  if (sent === undefined || sent.includes('\0')) return answerNothing(app, request, reply)
  const path = sent.replace(/\.git$/, '')
  if (large !== undefined) return answerLfs(app, request, reply, path, large)
  const service = asService(action)
  if (request.method === 'GET' && action === 'info/refs') return answerRefs(app, request, reply, path)
  if (request.method === 'POST' && service) return answerService(app, request, reply, path, service)
  return answerNothing(app, request, reply)
}

async function answerNothing(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  await countRequest(app, request, null, 'web')
  return reply.callNotFound()
}

function partsOf(request: FastifyRequest): string[] {
  return address.exec(decodeURI(targetOf(request).path)) ?? []
}

/** The error handler for the client of this URL: Git LFS, git, or any other. */
function answererOf(request: FastifyRequest): typeof answerError {
  const [, , action, large] = partsOf(request)
  if (large !== undefined) return answerInLfs
  return action === undefined ? answerError : answerInPlainText
}

/** Git shows a plain text body to its user. */
function answerInPlainText(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asStorageFailure(thrown)
  const known = error instanceof Failure
  const status = known ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
  // Errors of the framework have a status and no text for users.
  const strange = status < 500 ? 'The request could not be understood.' : 'Something went wrong on the server.'
  if (status >= 500) request.log.error({ err: (error as Error).cause ?? error }, known ? error.message : 'unexpected failure')
  const text = known ? inWords(error) : strange
  if (known) setRefusalHeaders(error, reply)
  if (status === 401) void reply.header('www-authenticate', 'Basic realm="Gitstead", charset="UTF-8"')
  void reply.code(status).type('text/plain; charset=utf-8').send(`${text}\n`)
}
