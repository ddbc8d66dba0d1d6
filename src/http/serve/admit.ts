/**
 * Admission to an endpoint: who calls, with which scopes, and what the access rule grants; before the body is read if possible. Two
 * different tokens in one request are rejected, and so are two names for `sudo`: a proxy that looks at headers and a server that looks at
 * bodies would see different callers. Reading every body before authentication would make the server parse data of anonymous clients, up to
 * the limit of each endpoint.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { userOf } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import { unauthorized } from '../../failure.ts'
import { onBehalfOf } from '../../git/repository/handles.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { authenticate, type Caller, holdsCredentials, maySudo, namesToken, requireScope, requireTerms } from '../caller/authenticate.ts'
import { callerKey } from '../caller/callers.ts'
import { authenticateMachine, isByToken } from '../caller/machines.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { holdBody } from '../limits/held-bytes.ts'
import { hasBody } from '../limits/slow-clients.ts'
import { enterStream } from '../limits/streams.ts'
import { throttled } from '../limits/throttle.ts'
import { empty, type Parameters } from '../parameters/parameters.ts'
import { abortSignalOf } from './abort-signal.ts'
import { hasLargeFiles } from './body.ts'

/** The largest body, by its announced size, that is read to look for credentials; a larger one needs them outside of the body. */
const maxUnknown_bytes = 1024 * 1024
/** Larger bodies count as a stream of an anonymous caller, which limits how many are held in memory. */
const smallUnknown_bytes = 64 * 1024

/**
 * Called before the body is read: without access, nothing is parsed. If credentials may be in the body, the decision is left to
 * `admitByBody`.
 */
export async function admit(app: App, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const mayName = endpoint.method !== 'GET' && !endpoint.bytes && hasBody(request.raw)
  // A machine sends its token only there.
  const isNamedThere = mayName && isByToken(endpoint.access.own_credential)
  if (isNamedThere || (mayName && !namesToken(request, endpoint))) {
    const length = Number(request.headers['content-length'])
    if (length <= smallUnknown_bytes) return
    if (length <= maxUnknown_bytes || isNamedThere) return enterStream(app, request, reply, { user: null })
  }
  const caller = await countedCaller(app, endpoint, request, reply, null)
  request.caller = caller
  if (mayName && endpoint.maxBody_bytes !== null && !hasLargeFiles(endpoint.body)) holdBody(app, request, reply, endpoint.maxBody_bytes)
  // The rule may deny to an administrator what it grants to the user named by `sudo`.
  if (mayName && maySudo(caller)) return
  await admitAs(caller, app, endpoint, request, reply, null)
}

/** Called after the body was read. If it contains credentials, access is decided again. */
export async function admitByBody(
  app: App,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Parameters,
): Promise<void> {
  const isNamed = holdsCredentials(body, endpoint)
  if (request.granted && !isNamed) return
  request.granted = null
  const caller = await callerWith(app, endpoint, request, reply, isNamed ? body : null)
  request.caller = caller
  await admitAs(caller, app, endpoint, request, reply, body)
}

/** A request is counted once against the limits: where it was first authenticated. */
async function callerWith(
  app: App,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Parameters | null,
): Promise<Caller> {
  if (request.caller === null) return countedCaller(app, endpoint, request, reply, body)
  return body === null ? request.caller : authenticate(app, request, { body, ...takenBy(endpoint) })
}

function countedCaller(
  app: App,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Parameters | null,
): Promise<Caller> {
  return throttled(app, {
    request,
    reply,
    on: 'api',
    limit: endpoint.limit,
    authenticate: () => authenticate(app, request, { body, ...takenBy(endpoint) }),
    // Under sudo, the administrator counts as the sender of requests.
    userOf: ({ principal }) => (principal.kind === 'sudo' ? principal.sudoer : userOf(principal)),
  })
}

function takenBy({ jobTokens, basicAuth, access }: Endpoint) {
  return { jobTokens, basicAuth, applications: access.own_credential === 'checked' }
}

async function admitAs(
  caller: Caller,
  app: App,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Parameters | null,
): Promise<void> {
  const reading = endpoint.method === 'GET'
  requireScope(caller, endpoint.scopes)
  if (!endpoint.beforeTerms) requireTerms(app, caller)
  const { anonymous, own_credential } = endpoint.access
  const user = userOf(caller.principal)
  if (!user && !own_credential && !(anonymous && (reading || endpoint.changesNothing))) throw unauthorized()
  const own = (repo: Repo) => onBehalfOf(repo, callerKey(request, user), () => abortSignalOf(reply))
  request.granted = await endpoint.access.grant({
    app,
    principal: isByToken(own_credential) ? await authenticateMachine(app.db, own_credential, sentBy(request, body)) : caller.principal,
    params: request.params as Record<string, string>,
    sent: { headers: request.headers, query: request.query as Parameters },
    openRepo: (id) => own(app.git.open(id)),
    openWiki: (id) => own(app.git.openWiki(id)),
  })
}

function sentBy({ query }: FastifyRequest, body: Parameters | null): Parameters {
  return Object.assign(empty(), query, body)
}
