/**
 * The declaration of an endpoint: the one source of validation, types, authorization, serialization, paging, error documentation and the
 * OpenAPI document.
 */
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Scope } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import type { FailureCode } from '../../failure.ts'
import type { ActLimit } from '../../limits/throttles.ts'
import type { Presented } from '../parameters/schema.ts'
import { type ErrorShape, usualErrors } from '../reply/error-shapes.ts'
import type { Page, Rows } from '../reply/page.ts'
import type { Base, BytesBody } from './context.ts'
import type { OtherStatus, Outcome } from './outcome.ts'
import type { RawReply } from './raw-reply.ts'
import type { Access, Condition, Granted } from './rules.ts'

export type { RawHeaders, RawReply } from './raw-reply.ts'
export type { ActLimit }

/** The root of the API. */
export const apiRoot = '/api/v4'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Signature = `${Method} /${string}`

/** No parameters. */
type None = Record<never, never>

type NamesIn<S extends string> = S extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : S extends `${string}:${infer Name}`
    ? Name
    : never

/** Path parameters: text, unless `params` declares otherwise. */
type PathOf<S extends string, P extends TProperties> = Omit<Record<NamesIn<S>, string>, keyof P> & Static<TObject<P>>

/** The argument of a handler: the grants of its access rule, and its validated parameters. */
type Context<S extends string, G, P extends TProperties, Q extends TProperties, B extends TProperties> = Base &
  G & { params: PathOf<S, P>; query: Static<TObject<Q>>; body: Static<TObject<B>> }

interface Common<S extends string, G extends Granted, P extends TProperties, Q extends TProperties, B extends TProperties> {
  /** One line of documentation, in the imperative. */
  summary: string
  access: Access<G>
  /** Path parameters that are not plain text. */
  params?: P
  /** Parameters of the query. */
  query?: Q
  /** Body parameters: of a form, of JSON or, as many clients send them, in the query. */
  body?: B
  /** At least one of these is required. */
  atLeastOne?: ReadonlyArray<keyof (Q & B) & string>
  /**
   * Parameters that only some callers may send, each with conditions of which one must hold. A boolean that is false counts as not sent.
   */
  reserved?: { [K in keyof (Q & B)]?: ReadonlyArray<Condition<G>> }
  /**
   * When the thing to be deleted was last changed: a request meant for an older state (`If-Unmodified-Since`) gets 412. Null if it has no
   * such date.
   */
  lastChanged?: (context: Context<S, G, P, Q, B>) => Promise<string | null> | string | null
  /** Scopes that suffice besides `api` (and `read_api` for reading). */
  scopes?: readonly Scope[]
  /** Failures besides those that follow from the access rule, the parameters and the kind of endpoint. */
  fails?: readonly FailureCode[]
  /** Statuses of failures that differ from the usual ones. */
  statuses?: Partial<Record<FailureCode, number>>
  /** The format of errors, if a family of endpoints follows another standard. */
  errors?: ErrorShape
  /** Name of the operation in generated clients, if the one derived from the path reads badly. */
  operationId?: string
  /** A second path that some clients use. */
  alias?: Signature
  /** Maximum size of a body; 1 MiB by default. */
  maxBody_bytes?: number
  /** Maximum size of each large file in its form, if a setting limits it. */
  maxFile_bytes?: (app: App) => Promise<number>
  /** Served at the root for browsers, not below `/api/v4`. */
  outsideApi?: true
  /** Also served to users who haven't accepted the terms. */
  beforeTerms?: true
  /** A POST that only computes something: callers without a token may send it if the rule admits them. */
  changesNothing?: true
  /** The last path parameter is the rest of the path, including slashes. */
  restOfPath?: true
  /** The body is bytes of any type, such as a file or a trace, which the handler reads itself (`content`, `piece`). */
  bytes?: BytesBody
  /** Also accepts the tokens of running jobs (`Job-Token`, `job_token`): as their user, in projects that allow it. */
  jobTokens?: true
  /** Takes a token as the password of HTTP Basic too, for programs that know nothing else. */
  basicAuth?: true
  /** The answer depends on the caller, the address and the database alone: it is kept until something is written. For what is read often. */
  fromDatabase?: true
  /** As `fromDatabase`, and the reply also depends on refs that the handler reads by its `repo`: it is cached until one of them moves. */
  fromRepository?: true
  /** A separate rate limit with a setting of the instance, in addition to the general one. */
  limit?: ActLimit
}

/** A handler returns the reply, or an outcome with its own status or headers. */
type Made<R extends TSchema> = Presented<R> | Outcome<Presented<R> | null>

export interface EndpointSpec<
  S extends string,
  G extends Granted,
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
> extends Common<S, G, P, Q, B> {
  reply: R
  /** By default 201 for POST, 204 without a reply, otherwise 200. */
  status?: number
  /** Other statuses that a handler may return (`outcome`), with the meaning of each. */
  outcomes?: Partial<Record<OtherStatus, string>>
  /** The status of HEAD, if existing clients expect another one than for GET. */
  headStatus?: 204
  /** How long it may wait for news before it answers (`patience`), for clients that poll. */
  longestWait_ms?: number
  /** Headers besides the reply. */
  headers?: (reply: Presented<R>) => Record<string, string>
  /** Headers that clients read, with their meanings, for the documentation. */
  replyHeaders?: Record<string, string>
  handle: (context: Context<S, G, P, Q, B>) => Promise<Made<R>> | Made<R>
}

export interface ListSpec<
  S extends string,
  G extends Granted,
  P extends TProperties,
  Q extends TProperties,
  B extends TProperties,
  R extends TSchema,
> extends Common<S, G, P, Q, B> {
  /** The schema of one item. */
  item: R
  /** Also has keyset pages, in each order that `order_by` and `sort` name: the handler passes `page` to `pageByKeyset`. */
  keyset?: true
  handle: (context: Context<S, G, P, Q, B> & { page: Page }) => Promise<Rows<Presented<R>>> | Rows<Presented<R>>
}

export interface StreamSpec<S extends string, G extends Granted, P extends TProperties, Q extends TProperties, B extends TProperties>
  extends Common<S, G, P, Q, B> {
  handle: (context: Context<S, G, P, Q, B>) => Promise<RawReply> | RawReply
}

/** An endpoint as `mount`, the OpenAPI document and the contract tests see it. */
export interface Endpoint {
  kind: 'value' | 'list' | 'stream'
  method: Method
  /** Relative to `root`, with `:name` for parameters. */
  path: string
  root: typeof apiRoot | ''
  /** Its section in the documentation; empty until `section` sets it. */
  tag: string
  summary: string
  access: Access<Granted>
  params: TProperties
  query: TProperties
  body: TProperties
  atLeastOne: readonly string[]
  scopes: readonly Scope[]
  reserved: Record<string, ReadonlyArray<Condition<Granted>>>
  lastChanged: ((context: never) => Promise<string | null> | string | null) | null
  fails: readonly FailureCode[]
  statuses: Partial<Record<FailureCode, number>>
  errors: ErrorShape
  operationId: string | null
  /** The reply, or one item of the list; null for bytes. */
  reply: TSchema | null
  status: number
  outcomes: Partial<Record<OtherStatus, string>>
  longestWait_ms: number | null
  headStatus: 204 | null
  alias: string | null
  maxBody_bytes: number | null
  maxFile_bytes: ((app: App) => Promise<number>) | null
  beforeTerms: boolean
  changesNothing: boolean
  restOfPath: boolean
  bytes: BytesBody | null
  jobTokens: boolean
  basicAuth: boolean
  fromDatabase: boolean
  fromRepository: boolean
  limit: ActLimit | null
  /** Whether a list also has keyset pages. */
  keyset: boolean
  headers: ((reply: unknown) => Record<string, string>) | null
  replyHeaders: Record<string, string>
  handle: (context: never) => unknown
}

export function endpoint<
  S extends Signature,
  G extends Granted,
  R extends TSchema,
  P extends TProperties = None,
  Q extends TProperties = None,
  B extends TProperties = None,
>(signature: S, spec: EndpointSpec<S, G, P, Q, B, R>): Endpoint {
  const base = declare(signature, 'value', spec)
  const empty = (spec.reply as { type?: string }).type === 'null'
  const usual = empty ? 204 : base.method === 'POST' ? 201 : 200
  return {
    ...base,
    reply: spec.reply,
    status: spec.status ?? usual,
    outcomes: spec.outcomes ?? {},
    longestWait_ms: spec.longestWait_ms ?? null,
    replyHeaders: spec.replyHeaders ?? {},
    headStatus: spec.headStatus ?? null,
    headers: (spec.headers as Endpoint['headers'] | undefined) ?? null,
  }
}

/** Declares a list: takes `page` and `per_page`, and answers with one page and the headers that link to the others. */
export function listEndpoint<
  S extends Signature,
  G extends Granted,
  R extends TSchema,
  P extends TProperties = None,
  Q extends TProperties = None,
  B extends TProperties = None,
>(signature: S, spec: ListSpec<S, G, P, Q, B, R>): Endpoint {
  return { ...declare(signature, 'list', spec), reply: spec.item, keyset: spec.keyset ?? false }
}

/** Declares a stream of bytes: files, archives, traces. */
export function streamEndpoint<
  S extends Signature,
  G extends Granted,
  P extends TProperties = None,
  Q extends TProperties = None,
  B extends TProperties = None,
>(signature: S, spec: StreamSpec<S, G, P, Q, B>): Endpoint {
  return declare(signature, 'stream', spec)
}

/** Groups endpoints under one heading of the documentation, the OpenAPI tag. */
export function section(tag: string, ...lists: Endpoint[][]): Endpoint[] {
  return lists.flat().map((declared) => ({ ...declared, tag }))
}

function declare<S extends string, G extends Granted, P extends TProperties, Q extends TProperties, B extends TProperties>(
  signature: S,
  kind: Endpoint['kind'],
  spec: Common<S, G, P, Q, B> & { handle: (context: never) => unknown },
): Endpoint {
  const [method, path] = signature.split(' ') as [Method, string]
  return {
    kind,
    method,
    path,
    root: spec.outsideApi ? '' : apiRoot,
    tag: '',
    summary: spec.summary,
    access: spec.access,
    params: spec.params ?? {},
    query: spec.query ?? {},
    body: spec.body ?? {},
    atLeastOne: spec.atLeastOne ?? [],
    scopes: [...(method === 'GET' ? ['read_api' as const] : []), ...(spec.scopes ?? [])],
    reserved: (spec.reserved ?? {}) as Endpoint['reserved'],
    lastChanged: spec.lastChanged ?? null,
    ...switchesOf(spec),
    bytes: spec.bytes ?? null,
    limit: spec.limit ?? null,
    fails: spec.fails ?? [],
    statuses: spec.statuses ?? {},
    errors: spec.errors ?? usualErrors,
    operationId: spec.operationId ?? null,
    reply: null,
    status: 200,
    outcomes: {},
    longestWait_ms: null,
    replyHeaders: {},
    headStatus: null,
    alias: spec.alias?.split(' ')[1] ?? null,
    maxBody_bytes: spec.maxBody_bytes ?? null,
    maxFile_bytes: spec.maxFile_bytes ?? null,
    keyset: false,
    headers: null,
    handle: spec.handle,
  }
}

const switches = ['beforeTerms', 'changesNothing', 'restOfPath', 'jobTokens', 'basicAuth', 'fromDatabase', 'fromRepository'] as const
type Switches = Record<(typeof switches)[number], boolean>

/** Properties that an endpoint has only if it declares them. */
function switchesOf(spec: { [S in keyof Switches]?: true }): Switches {
  return Object.fromEntries(switches.map((name) => [name, spec[name] ?? false])) as Switches
}
