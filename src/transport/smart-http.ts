/** Git over HTTP: the streams between a client and git, for whoever may have them. */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { signIn } from '../access/users.ts'
import type { App } from '../app.ts'
import { asStorageFailure } from '../db/database.ts'
import { Failure } from '../failure.ts'
import { openPush } from '../features/pushes/pushes.service.ts'
import { advertise, begun, receivePack, type Service, uploadPack } from '../git/packs.ts'
import type { Answer } from '../git/remembered-packs.ts'
import { accessDenied, admitAnybody, admitUser, type GitSession } from './access.ts'

/** A namespace and a name at least: a project's number is no address of it. */
const address = /^\/([^/]+\/.+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/
/** What git shows its user: a very old one asks for no service, and `git archive --remote` of a new one for another. */
const dumb = 'Only the smart protocol is spoken here: use a git client of this decade.'
const unserved = 'Here are git-upload-pack and git-receive-pack and no other service. The API has archives.'
const uncached = { 'cache-control': 'no-cache, max-age=0, must-revalidate', expires: 'Fri, 01 Jan 1980 00:00:00 GMT', pragma: 'no-cache' }

/** The two requests of the smart protocol, at the address of every project. */
export async function smartHttp(server: FastifyInstance, app: App): Promise<void> {
  await server.register(async (scope) => {
    // Bodies stay streams: a push of any size passes through without standing in memory.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_, body, done) => done(null, body))
    scope.setErrorHandler(answerInPlainText)
    scope.get('/*', (request, reply) => answerRefs(app, request, reply))
    scope.post('/*', { bodyLimit: Number.MAX_SAFE_INTEGER }, (request, reply) => answerService(app, request, reply))
  })
}

async function answerRefs(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { path, action } = parseAddress(request)
  if (!path || action !== 'info/refs') return reply.callNotFound()
  const { service: wanted } = request.query as { service?: unknown }
  const service = asService(wanted)
  if (!service) throw new Failure('forbidden', wanted ? unserved : dumb)
  const { repo } = await openSession(app, request, path, service)
  const child = advertise(repo, service, { protocol: protocolOf(request), signal: goneSignal(reply) })
  report(request, child)
  const banner = `# service=${service}\n`
  void reply.headers({ ...uncached, 'content-type': `application/x-${service}-advertisement` })
  return reply.send(Readable.from(withBanner(`${(banner.length + 4).toString(16).padStart(4, '0')}${banner}0000`, child)))
}

async function answerService(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { path, action } = parseAddress(request)
  const service = asService(action)
  if (!path || !service) return reply.callNotFound()
  if (request.headers['content-type'] !== `application/x-${service}-request`) {
    throw new Failure('unsupported', `The body must be application/x-${service}-request`)
  }
  const session = await openSession(app, request, path, service)
  const protocol = protocolOf(request)
  const input = inflated(request)
  const { repo, project, user, level } = session
  const child =
    service === 'git-upload-pack' || user === null
      ? await uploadPack(repo, input, { protocol, signal: goneSignal(reply) })
      : receivePack(repo, input, openPush(app, { project, user, level }), { protocol })
  report(request, child)
  const answer = await begun(child)
  void reply.headers({ ...uncached, 'content-type': `application/x-${service}-result` })
  return reply.send(answer)
}

/** Which project, for whom. */
async function openSession(app: App, request: FastifyRequest, path: string, service: Service): Promise<GitSession> {
  const sent = credentialsOf(request)
  if (!sent) return admitAnybody(app, path, service)
  const credential = await signIn(app.db, sent.login, sent.secret)
  if (!credential) throw accessDenied()
  return admitUser(app, credential, path, service)
}

/** Null when none were sent. Throws 401 for those that can't be read: wrong ones are never taken for none. */
function credentialsOf(request: FastifyRequest): { login: string; secret: string } | null {
  const { authorization } = request.headers
  if (authorization === undefined) return null
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return { login: '', secret: value }
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0')) throw accessDenied()
  return { login: text.slice(0, colon), secret: text.slice(colon + 1) }
}

/** Nothing, where the address is none of a repository. */
function parseAddress(request: FastifyRequest): { path?: string | undefined; action?: string | undefined } {
  const [, path, action] = address.exec(decodeURI(request.url.split('?', 1)[0] ?? '')) ?? []
  return path?.includes('\0') ? {} : { path, action }
}

function asService(name: unknown): Service | null {
  return name === 'git-upload-pack' || name === 'git-receive-pack' ? name : null
}

/** `version=2` and the like; nothing else gets into the environment of git. */
function protocolOf(request: FastifyRequest): string | undefined {
  const sent = request.headers['git-protocol']
  return typeof sent === 'string' && /^[a-z0-9=:.-]{1,100}$/.test(sent) ? sent : undefined
}

/** Git compresses the requests of large fetches. */
function inflated(request: FastifyRequest): Readable {
  const body = (request.body ?? request.raw) as Readable
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return body
  if (!/^(x-)?gzip$/.test(encoding)) throw new Failure('unsupported', 'A body may be compressed by gzip and by nothing else.')
  const gunzip = createGunzip()
  body.once('error', (error) => gunzip.destroy(error))
  body.once('close', () => body.readableEnded || gunzip.destroy(new Error('the body broke off')))
  return body.pipe(gunzip)
}

/** Aborts when the client goes away before it has everything. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  if (reply.raw.closed) gone.abort()
  return gone.signal
}

async function* withBanner(banner: string, child: Answer): AsyncIterable<string | Buffer> {
  yield banner
  yield* child.stdout
}

/** What git complained about is for the log; what its client must know is in the stream. */
function report(request: FastifyRequest, child: Answer): void {
  child.finished.then(
    ({ code, stderr }) => code !== 0 && request.log.warn({ code, stderr: stderr.trim() }, 'git ended with an error'),
    (error) => request.log.warn({ err: error }, 'git was ended'),
  )
}

/** Git shows a body of plain text to its user. */
function answerInPlainText(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asStorageFailure(thrown)
  if (!(error instanceof Failure)) request.log.error({ err: error }, 'unexpected failure')
  const status = error instanceof Failure ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
  const text = error instanceof Failure ? inWords(error) : 'Something went wrong on the server.'
  if (status === 401) void reply.header('www-authenticate', 'Basic realm="Gitstead", charset="UTF-8"')
  void reply.code(status).type('text/plain; charset=utf-8').send(`${text}\n`)
}

/** Complaints field by field become sentences: `Path tree is a reserved name.` */
function inWords({ message, body }: Failure): string {
  if (typeof body.message !== 'object') return message
  return Object.entries(body.message as Record<string, string[]>)
    .flatMap(([field, complaints]) => complaints.map((complaint) => `${field} ${complaint}`))
    .map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`)
    .join('\n')
}
