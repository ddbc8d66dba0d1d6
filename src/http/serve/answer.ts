/** Answers an admitted request: reads parameters, runs the handler, and writes the result. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anonymous } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import { metered } from '../../db/database.ts'
import { atOneMoment } from '../../db/snapshot-id.ts'
import { badParameter } from '../../failure.ts'
import { areCurrent } from '../../git/refs/ref-cache.ts'
import { recordingRefs } from '../../git/repository/handles.ts'
import { meteredGit, meteredRepo } from '../../git/repository/metered.ts'
import { type RefReads, refReads } from '../../git/repository/ref-reads.ts'
import type { Repo } from '../../git/repository/repository.ts'
import type { ReadMeter } from '../../limits/read-meter.ts'
import { callingUser } from '../caller/callers.ts'
import { asCaller } from '../caller/origin.ts'
import type { Endpoint, RawReply } from '../declare/endpoint.ts'
import { Outcome } from '../declare/outcome.ts'
import { assertMeetsOne, type Granted } from '../declare/rules.ts'
import { holdAnswer } from '../limits/held-bytes.ts'
import { enterStream } from '../limits/streams.ts'
import { empty, type Parameters } from '../parameters/parameters.ts'
import { targetOf } from '../parameters/target.ts'
import { type Validate, validator } from '../parameters/validate.ts'
import type { Answer, AnswerCache } from '../reply/answer-cache.ts'
import { entityHeaders, hasAnswer, unchangedHead } from '../reply/entity-tags.ts'
import { jsonType, safeHeaders } from '../reply/headers.ts'
import { cursorHeaders, keysetOf, keysetParameters } from '../reply/keyset.ts'
import { type Page, pageFrom, pageHeaders, pageParameters, type Rows } from '../reply/page.ts'
import { tokenHeaders } from '../reply/page-token.ts'
import { parseSince, requireUnmodified } from '../reply/preconditions.ts'
import { described, keptWithConstants, type Text, textWriter } from '../reply/serialize.ts'
import { abortSignalOf } from './abort-signal.ts'
import { admitByBody } from './admit.ts'
import { largeFieldsOf, withBody } from './body.ts'
import { nothing, sendBytes } from './bytes.ts'
import { listWriter } from './list-answer.ts'
import { type LongAnswer, writeLong } from './long-answer.ts'
import { contentOf, pieceOf } from './sent-bytes.ts'
import type { Waits } from './waits.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Answers the admitted requests of one endpoint. */
export function answerer(app: App, endpoint: Endpoint, answers: AnswerCache, waits: Waits): Handler {
  const make = answerMaker(app, endpoint, waits)
  if (endpoint.method !== 'GET') return withLargeFiles(app, endpoint, make)
  const isKept = endpoint.fromDatabase || endpoint.fromRepository
  return async (request, reply) => {
    const kept =
      isKept && request.method === 'GET' && request.caller?.principal.kind !== 'job'
        ? answers.find(callingUser(request), request.url, request.stamp)
        : null
    if (kept?.known && isCurrent(kept.known, request)) return write(app, endpoint, request, reply, kept.known)
    const reads = kept && endpoint.fromRepository ? refReads() : null
    // Its body is never read.
    const answering = () => make(request, reply, request.query as Parameters, reads)
    const answer = await (endpoint.kind === 'stream' ? answering() : atOneMoment(app.db, answering))
    if (answer === null) return
    if (isLong(answer)) return writeLong(app, request, reply, answer)
    if (reads === null) kept?.keep(answer)
    else if (reads.isKnown) kept?.keep({ ...answer, reads })
    write(app, endpoint, request, reply, answer)
  }
}

function isCurrent({ reads }: Answer, { granted }: FastifyRequest): boolean {
  const repo = repoOf(granted)
  return reads === undefined || (repo !== undefined && areCurrent(repo, reads))
}

function repoOf(granted: Granted | null): Repo | undefined {
  return (granted as { repo?: Repo } | null)?.repo
}

function isLong(answer: Answer | LongAnswer): answer is LongAnswer {
  return 'pieces' in answer
}

function withLargeFiles(app: App, endpoint: Endpoint, make: MakeAnswer): Handler {
  const large = largeFieldsOf(endpoint.body, app.store)
  return async (request, reply) => {
    if (endpoint.bytes) {
      const answer = await asCaller(request, request.caller?.principal ?? anonymous, () =>
        make(request, reply, request.query as Parameters),
      )
      return answer === null || isLong(answer) ? undefined : write(app, endpoint, request, reply, answer)
    }
    const max_bytes = (await endpoint.maxFile_bytes?.(app)) ?? (request.routeOptions.bodyLimit as number)
    const answer = await withBody(request, { ...large, max_bytes }, async (body) => {
      await admitByBody(app, endpoint, request, reply, body)
      return asCaller(request, request.caller?.principal ?? anonymous, () =>
        make(request, reply, Object.assign(empty(), request.query, body)),
      )
    })
    if (answer !== null && !isLong(answer)) write(app, endpoint, request, reply, answer)
  }
}

/** Null if Fastify has sent it: bytes, and answers without a body. */
type MakeAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Parameters,
  reads?: RefReads | null,
) => Promise<Answer | LongAnswer | null>

function answerMaker(app: App, endpoint: Endpoint, waits: Waits): MakeAnswer {
  const { read, textOf, writeList } = compiledOf(endpoint)
  const headersOf = keptWithConstants((value) => endpoint.headers?.(value))
  const handle = endpoint.handle as (context: unknown) => unknown
  const hasReserved = Object.keys(endpoint.reserved).length > 0
  // A handler with headers of its own may leave out the rest for HEAD.
  const isMadeForHead = endpoint.headStatus === null && endpoint.headers === null
  const hasText = (head: boolean, status: number) => (!head || isMadeForHead) && !isBodyless(status)
  const outcomeOf = (made: unknown) =>
    made instanceof Outcome
      ? { ...made, status: made.status ?? endpoint.status }
      : { status: endpoint.status, reply: made, headers: headersOf(made) }
  return async (request, reply, sent, reads = null) => {
    const { page, ...input } = read(request, sent)
    const repo = reads && repoOf(request.granted)
    const head = request.method === 'HEAD'
    const user_agent = request.headers['user-agent'] ?? ''
    const { headers: sentHeaders } = request
    const context = {
      app,
      ip: request.ip,
      user_agent,
      head,
      headers: sentHeaders,
      signal: () => abortSignalOf(reply),
      content: (machine?: string) => contentOf(app, request, reply, machine ?? null),
      piece: (machine?: string) => pieceOf(app, request, reply, machine ?? null),
      patience: () => waits.begin(reply, endpoint.longestWait_ms ?? 0),
      ...request.granted,
      ...(repo && { repo: recordingRefs(repo, reads) }),
      ...input,
      page,
    }
    if (hasReserved) await assertReserved(endpoint, request.granted as Granted, { app, ...input })
    const since = endpoint.lastChanged && parseSince(request.headers['if-unmodified-since'])
    if (since) requireUnmodified(since, await endpoint.lastChanged?.(context as never))
    switch (endpoint.kind) {
      case 'list': {
        const read = (part: Page, meter: ReadMeter | null) =>
          handle({ ...(meter ? meteredContext(context, meter) : context), page: part }) as Promise<Rows<unknown>>
        const { first, text, rest } = await writeList(read, page as Page, app.limits.portion_bytes)
        const headers = { ...listHeaders(app, request, page as Page, first), ...first.headers }
        if (rest === null) return answerOf(endpoint.status, headers, described(text))
        return { status: endpoint.status, head: headOf(headers), pieces: startingWith(text, rest) }
      }
      case 'stream':
        await sendBytes(app, request, reply, (await handle(context)) as RawReply, () =>
          enterStream(app, request, reply, { user: callingUser(request) }),
        )
        return null
      default: {
        const { status, reply: value, headers } = outcomeOf(await handle(context))
        if (hasText(head, status)) return answerOf(status, headers, textOf(value))
        await sendHead(reply, head && !isBodyless(status) ? endpoint.headStatus : status, headers)
        return null
      }
    }
  }
}

/** The context with a database and repositories that count what is read. */
function meteredContext<C extends { app: App }>(context: C, meter: ReadMeter): C {
  const git = meteredGit(context.app.git, meter)
  const { repo } = context as { repo?: Repo }
  return { ...context, app: { ...context.app, db: metered(context.app.db, meter), git }, ...(repo && { repo: meteredRepo(repo, git) }) }
}

async function* startingWith(text: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (text !== '') yield text
  yield* rest
}

interface Compiled {
  read: ReturnType<typeof inputReader>
  textOf: ReturnType<typeof textWriter>
  writeList: ReturnType<typeof listWriter>
}

/** Compiled once per declaration: a process has one server, but tests have hundreds. */
const compiled = new WeakMap<Endpoint, Compiled>()

function compiledOf(endpoint: Endpoint): Compiled {
  const known = compiled.get(endpoint)
  if (known) return known
  const schema = endpoint.reply ?? Type.Null()
  const made = { read: inputReader(endpoint), textOf: textWriter(schema), writeList: listWriter(schema) }
  compiled.set(endpoint, made)
  return made
}

/** Nothing, and a redirection. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 302
}

/** @param status null for the status of an answer with a body */
async function sendHead(reply: FastifyReply, status: number | null, headers: Record<string, string> = {}): Promise<void> {
  void reply.headers(headers)
  await (status === null ? reply.type(jsonType).send(nothing()) : reply.code(status).send())
}

function answerOf(status: number, headers: Record<string, string> | undefined, { text, bytes, etag }: Text): Answer {
  return { status, head: { ...headOf(headers), ...entityHeaders(status, headers, etag), 'content-length': bytes }, text }
}

function headOf(headers: Record<string, string> | undefined): Record<string, string> {
  return { 'content-type': jsonType, ...safeHeaders, ...headers }
}

/** Writes head and body at once, bypassing all hooks of the framework. A large answer is counted until the client has read it. */
function write(app: App, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, { status, head, text }: Answer): void {
  const { raw } = reply
  if (endpoint.method === 'GET' && hasAnswer(request.headers['if-none-match'], status, head)) {
    raw.writeHead(304, unchangedHead(head))
    raw.end()
    return
  }
  const hasBody = request.method !== 'HEAD'
  // A caller who changed something must get the answer.
  if (hasBody && (endpoint.method === 'GET' || endpoint.changesNothing)) holdAnswer(app, request, reply, Number(head['content-length']))
  raw.writeHead(status, head)
  raw.end(hasBody ? text : undefined)
}

interface Input {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown> | undefined
  page: Page | undefined
}

/** The validation of one endpoint. */
function inputReader(endpoint: Endpoint): (request: FastifyRequest, sent: Parameters) => Input {
  const names = Object.keys(endpoint.params)
  const params = names.length > 0 ? validator(endpoint.params) : null
  const query = validator(endpoint.query)
  const body = Object.keys(endpoint.body).length > 0 ? validator(endpoint.body) : null
  const page = endpoint.kind === 'list' ? (validator(pageParameters) as Validate<typeof pageParameters>) : null
  const keyset = endpoint.keyset ? (validator(keysetParameters) as Validate<typeof keysetParameters>) : null
  return (request, sent) => {
    const path = request.params as Record<string, string>
    requireOne(endpoint, sent)
    const input = { params: params ? { ...path, ...params(path) } : path, query: query(sent), body: body?.(sent) }
    const numbered = page ? pageFrom(page(sent)) : undefined
    return { ...input, page: numbered && keyset ? { ...numbered, keyset: keysetOf(keyset(sent), input.query) } : numbered }
  }
}

function requireOne({ atLeastOne }: Endpoint, sent: Parameters): void {
  if (atLeastOne.length > 0 && !atLeastOne.some((name) => sent[name] !== undefined)) {
    throw badParameter(`${atLeastOne.join(', ')} are missing, at least one parameter must be provided`)
  }
}

/** Throws 403 for a parameter that this caller may not send. */
async function assertReserved({ reserved }: Endpoint, granted: Granted, { app, params, query, body }: Omit<Input, 'page'> & { app: App }) {
  for (const [name, conditions] of Object.entries(reserved)) {
    const value = { ...query, ...body }[name]
    if (value !== undefined && value !== false) await assertMeetsOne(conditions, granted, { app, params, value })
  }
}

function listHeaders(app: App, request: FastifyRequest, page: Page, { total, next_token, position = null }: Rows<unknown>) {
  const { path, query } = targetOf(request)
  const address = app.config.url + path
  if (page.keyset) return cursorHeaders(page.keyset, position, page.per_page, { address, query })
  if (next_token !== undefined) return tokenHeaders(page, next_token, address, query)
  return pageHeaders(page, total, address, query)
}
