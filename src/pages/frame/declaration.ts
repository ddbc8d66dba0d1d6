/**
 * The declaration of a page and of an action. As an endpoint's, it says who may, what is sent and what is done; from it come the
 * route, authorisation, validation, the form again with its errors, and the laws that the tests hold over all pages.
 */
import type { FastifyRequest } from 'fastify'
import type { Static, TObject, TProperties } from 'typebox'
import type { Principal } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import type { Html } from '../../html/html.ts'
import type { ActLimit, RawReply } from '../../http/declare/endpoint.ts'
import type { Access, Granted } from '../../http/declare/rules.ts'
import { type Pattern, parsePattern } from './patterns.ts'
import type { Theme } from './theme.ts'

type NamesIn<S extends string> = S extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : S extends `${string}:${infer Name}`
    ? Name
    : never

type SpaceName = 'project' | 'group' | 'user'

/** The parameters of an address: its named segments, and the rest as `*`. The path of the space is its access rule's. */
type ParamsOf<S extends string> = Record<
  Exclude<NamesIn<S>, SpaceName | `${SpaceName}.${string}`> | (S extends `${string}/*${string}` ? '*' : never),
  string
>

/** What every page knows of its request. */
export interface Visit {
  app: App
  /** The address of the client. */
  ip: string
  /** The header `User-Agent`, as sent. */
  agent: string | undefined
  /** Path and query of the page, encoded. */
  address: string
  /** The hidden field of every form on the page: it proves that the form came from here. */
  token: Html
  /** The digest of the caller's session; null for who isn't signed in. */
  session_digest: string | null
  /** When the caller signed in; null for who isn't signed in. */
  signed_in_at: string | null
  /** The cookie of a sign-in that waits for the second factor; null without one. */
  pending_sign_in: string | null
  /** The username of the administrator who acts as the caller; null for the caller themselves. */
  impersonator: string | null
  /** What an action has given the browser to bring back: see `Outcome`. */
  provider_sign_in: string | null
}

type Context<S extends string, G, F extends TProperties> = Visit & G & { params: ParamsOf<S>; sent: Static<TObject<F>> }

/** What the field of the header searches, unless the reader wants everything: the project or the group that a page belongs to. */
export interface SearchScope {
  parameter: 'project_id' | 'group_id'
  id: number
  name: string
}

/** A page as it is shown. */
export interface View {
  /** For the tab of the browser, the most specific first. */
  title: string
  /**
   * The content of `main`, with its `h1`. An async generator sends it in parts, each as soon as it is yielded: the head of the page and
   * what is quick first. What fails before the first part is a page of its own; what fails later is a sentence in the place of the
   * rest. A part is best made of whole elements; one that belongs further up is sent by `late` (parts.ts). When the client leaves, the
   * generator is ended (`finally` runs), and the git commands of the granted `repo` are killed.
   */
  main: Html | AsyncIterable<Html>
  /** Shown above `main`: breadcrumbs and tabs. A function where something is read for them: it is called only for what is shown. */
  above?: Html | ((app: App) => Promise<Html>)
  status?: number
  /** An address whose origin forms of this page may lead to, besides this service. */
  leads_to?: string | null
  /** Feeds and the like for the head of the document. */
  head?: Html
  /** Scripts of `src/web` that this page needs besides `main.js`, such as `editor.js`. */
  scripts?: readonly string[]
  /** Takes the width of the window, as diffs do. The beginning of the page tells, so that nothing moves when they come. */
  isWide?: boolean
  searchIn?: SearchScope
  /** What may be created in the place of the page, for the menu of the header. */
  creations?: ReadonlyArray<readonly [label: string, href: string]>
}

/** Instead of a page, the address that leads on, by GET. */
export interface Redirect {
  redirect: string
  /** 303 unless given: 301 for what has moved for good. */
  status?: 301 | 302 | 303
  /** A sentence for the page it leads to: what has been done. */
  notice?: string
}

/** Instead of a page, bytes of users: never run by browsers. */
export interface Bytes {
  bytes: RawReply
}

/**
 * What a page or an action answers; with `session`, the caller has another session from here on, or none (null); with `theme`,
 * other colours.
 */
export type Outcome = (View | Redirect | Bytes) & {
  session?: string | null
  /** Whether the browser keeps that session when it is closed; as the one before unless given. */
  isRemembered?: boolean
  /** A sign-in that waits for the second factor, by the value of its cookie. */
  pending_sign_in?: string
  theme?: Theme
  /** Sealed, of a sign-in that goes on elsewhere: the browser brings it back within minutes. Null where it has ended. */
  provider_sign_in?: string | null
  /** Cookies to be kept for a month, by their names: nothing that is secret or proves anything. */
  cookies?: Readonly<Record<string, string>>
}

type Awaitable<T> = Promise<T> | T

export interface PageSpec<S extends string, G extends Granted, Q extends TProperties> {
  access: Access<G>
  /** Parameters of the query. Those that don't fit are 400. */
  query?: Q
  /** Open to users who have yet to accept the terms or to choose a password, too. */
  beforeTerms?: true
  /** Open to users who have yet to set up a second factor, too. */
  beforeSecondFactor?: true
  /** The caller by what a program sends instead of a session, such as the token of a feed; null for none, or a wrong one. */
  principalBy?: (app: App, request: FastifyRequest) => Promise<Principal | null>
  /** A limit of its own, as an endpoint has it. */
  limit?: ActLimit
  show: (context: Context<S, G, Q>) => Awaitable<Outcome>
}

export interface ActionSpec<S extends string, G extends Granted, B extends TProperties> {
  access: Access<G>
  /** Fields of the form. With `File` or `LargeFile` (http/parameters/schema.ts) among them, the page's form has `files: true`. */
  form?: B
  /** Maximum size of a form with files, which are held in memory; 1 MiB unless given. Without files it is always 1 MiB. */
  maxBody_bytes?: number
  /** Maximum size of the large files of a form together, which are streamed to disk. */
  maxFile_bytes?: (app: App) => Awaitable<number>
  beforeTerms?: true
  beforeSecondFactor?: true
  limit?: ActLimit
  /** Does it, and returns where that leads. */
  act: (context: Context<S, G, B>) => Awaitable<Outcome>
  /** The form again, with what was typed and its errors. Without it, a refusal is a page of its own. */
  again?: (context: Visit & G & { params: ParamsOf<S> }, typed: Typed) => Awaitable<View>
}

/** A form as it was filled in, and what is wrong with it. */
export interface Typed {
  values: Readonly<Record<string, string>>
  errors: FormErrors
}

export interface FormErrors {
  /** Sentences about the form as a whole. */
  all: readonly string[]
  /** Sentences by the name of the field. */
  of: Readonly<Record<string, readonly string[]>>
}

/** A page or an action as the router and the tests see it. */
export interface Page {
  kind: 'page' | 'action'
  method: 'GET' | 'POST'
  pattern: Pattern
  access: Access<Granted>
  fields: TProperties
  maxBody_bytes: number | null
  maxFile_bytes: ((app: App) => Awaitable<number>) | null
  beforeTerms: boolean
  beforeSecondFactor: boolean
  limit: ActLimit | null
  principalBy: ((app: App, request: FastifyRequest) => Promise<Principal | null>) | null
  show: (context: never) => Awaitable<Outcome>
  again: ((context: never, typed: Typed) => Awaitable<View>) | null
}

/** A page, by the address it has for browsers: `GET /:project/tree/*`. */
export function page<S extends string, G extends Granted, Q extends TProperties = Record<never, never>>(
  signature: `GET ${S}`,
  { access, query, beforeTerms, beforeSecondFactor, principalBy, limit, show }: PageSpec<S, G, Q>,
): Page {
  return {
    kind: 'page',
    method: 'GET',
    pattern: parsePattern(signature.slice('GET '.length)),
    access,
    fields: query ?? {},
    maxBody_bytes: null,
    maxFile_bytes: null,
    beforeTerms: beforeTerms ?? false,
    beforeSecondFactor: beforeSecondFactor ?? beforeTerms ?? false,
    principalBy: principalBy ?? null,
    limit: limit ?? null,
    show,
    again: null,
  }
}

/** What a form does: `POST /:project/-/star`. */
export function action<S extends string, G extends Granted, B extends TProperties = Record<never, never>>(
  signature: `POST ${S}`,
  { access, form, maxBody_bytes, maxFile_bytes, beforeTerms, beforeSecondFactor, limit, act, again }: ActionSpec<S, G, B>,
): Page {
  return {
    kind: 'action',
    method: 'POST',
    pattern: parsePattern(signature.slice('POST '.length)),
    access,
    fields: form ?? {},
    maxBody_bytes: maxBody_bytes ?? null,
    maxFile_bytes: maxFile_bytes ?? null,
    beforeTerms: beforeTerms ?? false,
    beforeSecondFactor: beforeSecondFactor ?? beforeTerms ?? false,
    principalBy: null,
    limit: limit ?? null,
    show: act,
    again: again ?? null,
  }
}
