/** The smart HTTP protocol of git: streams between an authorized client and git. */
import { Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isEnabled } from '../access/flags.ts'
import { httpCloneUrl } from '../addresses/links.ts'
import type { App } from '../app.ts'
import { Failure } from '../failure.ts'
import { maxPush_bytes } from '../features/storage/quotas/quotas.ts'
import type { Answer } from '../git/clone-cache/clone-cache.ts'
import { advertise, receivePack, type Service, uploadPack, whenStarted } from '../git/wire/protocol.ts'
import { enterStream } from '../http/limits/streams.ts'
import { abortSignalOf } from '../http/serve/abort-signal.ts'
import { admit, type GitSession, handlersOf, hasMoved, type Purpose } from './access/access.ts'
import { countWhenSent } from './access/fetches.ts'
import { authenticateGit } from './access/http-credentials.ts'

/** Shown by git: very old clients name no service, and `git archive --remote` names another one. */
const dumb = 'Only the smart protocol is spoken here: use a git client of this decade.'
const unserved = 'Over HTTP there are git-upload-pack and git-receive-pack and no other service. The API and SSH have archives.'
const uncached = { 'cache-control': 'no-cache, max-age=0, must-revalidate', expires: 'Fri, 01 Jan 1980 00:00:00 GMT', pragma: 'no-cache' }

type HttpService = Exclude<Service, 'git-upload-archive'>

/** `GET …/info/refs?service=…`: the first request of every fetch and push. */
export async function answerRefs(app: App, request: FastifyRequest, reply: FastifyReply, path: string): Promise<unknown> {
  const { service: wanted } = request.query as { service?: unknown }
  const service = asService(wanted)
  if (!service) throw new Failure('forbidden', wanted ? unserved : dumb)
  // Only the first request of a push may create the project; a later one would recreate a project deleted in between.
  const session = await openSession(app, request, path, service === 'git-upload-pack' ? 'read' : 'push')
  void reply.headers(uncached)
  // Git follows the redirect, warns its user, and sends all further requests there.
  if (hasMoved(session, path)) return reply.redirect(`${pathOf(app, session)}/info/refs?service=${service}`, 301)
  await enterStream(app, request, reply, session)
  const child = advertise(session.repo, service, { protocol: protocolOf(request), signal: abortSignalOf(reply) })
  report(request, child)
  const banner = `# service=${service}\n`
  void reply.type(`application/x-${service}-advertisement`)
  return reply.send(Readable.from(withBanner(`${(banner.length + 4).toString(16).padStart(4, '0')}${banner}0000`, child)))
}

/** `POST …/git-upload-pack`, `POST …/git-receive-pack`. */
export async function answerService(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  service: HttpService,
): Promise<unknown> {
  if (request.headers['content-type'] !== `application/x-${service}-request`) {
    throw new Failure('unsupported', `The body must be application/x-${service}-request`)
  }
  const session = await openSession(app, request, path, service === 'git-upload-pack' ? 'read' : 'write')
  const { machine } = session
  await enterStream(app, request, reply, { user: session.user, machine, direction: service === 'git-upload-pack' ? 'download' : 'upload' })
  const protocol = protocolOf(request)
  const input = bodyOf(request, service)
  const { repo, project, user } = session
  const mayCache = () => isEnabled(app.db, 'clone_cache', project ? { user, project } : { user })
  const child =
    service === 'git-upload-pack' || user === null
      ? await uploadPack(repo, input, { protocol, signal: abortSignalOf(reply), mayCache })
      : receivePack(repo, input, handlersOf(app, session, user), {
          protocol,
          maxInput_bytes: project && (await maxPush_bytes(app, project)),
        })
  report(request, child)
  const answer = await whenStarted(child, repo)
  if (service === 'git-upload-pack') countWhenSent(app, session, answer)
  void reply.headers({ ...uncached, 'content-type': `application/x-${service}-result` })
  return reply.send(answer)
}

/** Without the host, which may have several names. */
function pathOf({ config }: App, { path }: GitSession): string {
  return new URL(httpCloneUrl(config, path)).pathname
}

/** Authorizes the caller for the service that will be run. */
async function openSession(app: App, request: FastifyRequest, path: string, purpose: Purpose): Promise<GitSession> {
  return admit(app, await authenticateGit(app, request), path, purpose, 'http')
}

export function asService(name: unknown): HttpService | null {
  return name === 'git-upload-pack' || name === 'git-receive-pack' ? name : null
}

/** `version=2` and the like; no other value is passed to the environment of git. */
function protocolOf(request: FastifyRequest): string | undefined {
  const sent = request.headers['git-protocol']
  return typeof sent === 'string' && /^[a-z0-9=:.-]{1,100}$/.test(sent) ? sent : undefined
}

/** Limit for fetch requests and all compressed bodies: clients compress large fetch requests, but never large pushes. */
const maxRequest_bytes = 32 * 1024 * 1024

/** The uncompressed body, which fails with 413 if it is too large; only an uncompressed push has no limit. */
function bodyOf(request: FastifyRequest, service: HttpService): Readable {
  const body = (request.body ?? request.raw) as Readable
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return service === 'git-receive-pack' ? body : limited(body)
  if (!/^(x-)?gzip$/.test(encoding)) throw new Failure('unsupported', 'A body may be compressed by gzip and by nothing else.')
  return limited(body, createGunzip())
}

/** Passes the body through `unzip`, if given. A body that is too large is not destroyed: its connection must still carry the reply. */
function limited(body: Readable, unzip?: Transform): Readable {
  let size = 0
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length
      if (size <= maxRequest_bytes) done(null, chunk)
      else done(new Failure('too_large', `The request is larger than ${maxRequest_bytes / 1024 ** 2} MiB.`))
    },
  })
  const fail = (error: Error) => limit.destroy(error)
  body.once('error', fail)
  body.once('close', () => body.readableEnded || fail(new Error('the body broke off')))
  unzip?.once('error', fail)
  limit.once('close', () => {
    // The rest is read and dropped, since the client would otherwise continue to send and never read the reply.
    body.unpipe().resume()
    unzip?.destroy()
  })
  return (unzip ? body.pipe(unzip) : body).pipe(limit)
}

async function* withBanner(banner: string, child: Answer): AsyncIterable<string | Buffer> {
  yield banner
  yield* child.stdout
}

/** Logs failures of git; the client gets them in the stream. */
function report(request: FastifyRequest, child: Answer): void {
  child.finished.then(
    ({ code, stderr }) => code !== 0 && request.log.warn({ code, stderr: stderr.trim() }, 'git failed'),
    // A kill has already been logged with its reason.
    (error) =>
      error instanceof Failure && error.code !== 'git_failed' ? undefined : request.log.warn({ err: error }, 'could not run git'),
  )
}
