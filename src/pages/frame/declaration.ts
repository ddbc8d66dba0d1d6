/**
 * Declarations of pages and actions. Like the declaration of an endpoint, it states who is allowed, what is sent and what is done. The
 * route, authorization, validation, forms with errors, and the tests of all pages are derived from it.
 */
import type { FastifyRequest } from 'fastify'
import type { Static, TObject, TProperties } from 'typebox'
import type { Principal } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import type { Html } from '../../html/html.ts'
import type { Language } from '../../html/language.ts'
import type { ActLimit, RawReply } from '../../http/declare/endpoint.ts'
import type { Access, Granted } from '../../http/declare/rules.ts'
import type { Theme } from './choices.ts'
import { type Pattern, parsePattern } from './patterns.ts'

type NamesIn<S extends string> = S extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : S extends `${string}:${infer Name}`
    ? Name
    : never

type SpaceName = 'project' | 'group' | 'user'

/**
 * The parameters of a URL: its named segments, and the rest as `*`. The path of the project, group or user is handled by the access rule.
 */
type ParamsOf<S extends string> = Record<
  Exclude<NamesIn<S>, SpaceName | `${SpaceName}.${string}`> | (S extends `${string}/*${string}` ? '*' : never),
  string
>

/** The context of every page and action. */
export interface Visit {
  app: App
  /** The IP address of the client. */
  ip: string
  /** The header `User-Agent`, as sent. */
  agent: string | undefined
  /** Path and query of the page, encoded. */
  address: string
  /** The hidden field of every form on the page: it proves that the form came from this instance. */
  token: Html
  /** The digest of the caller's session; null for visitors. */
  session_digest: string | null
  /** When the caller signed in; null for visitors. */
  signed_in_at: string | null
  /** The cookie of a sign-in that waits for the second factor; null without one. */
  pending_sign_in: string | null
  /** The username of the administrator who impersonates the caller; null without impersonation. */
  impersonator: string | null
  /** The value that an action has stored in a cookie: see `Outcome`. */
  provider_sign_in: string | null
}

type Context<S extends string, G, F extends TProperties> = Visit & G & { params: ParamsOf<S>; sent: Static<TObject<F>> }

/** The default scope of the search field in the header: the project or group of the page. */
export interface SearchScope {
  parameter: 'project_id' | 'group_id'
  id: number
  name: string
}

/** The content of a page. */
export interface View {
  /** For the browser tab, most specific first. */
  title: string
  /**
   * The content of `main`, with its `h1`. An async generator sends it in parts, each as soon as it is yielded: the head of the page and
   * fast parts first. A failure before the first part gives an error page; a later failure gives a sentence in place of the rest. A part
   * should consist of whole elements; use `late` (parts.ts) for a part that belongs further up. When the client leaves, the generator is
   * ended (`finally` runs), and the git commands of the granted `repo` are killed.
   */
  main: Html | AsyncIterable<Html>
  /** Shown above `main`: breadcrumbs and tabs. Use a function if it reads data: it is only called for what is shown. */
  above?: Html | ((app: App) => Promise<Html>)
  status?: number
  /** A URL to whose origin forms of this page may redirect, besides this instance. */
  leads_to?: string | null
  /** Elements for the head of the document, such as feeds. */
  head?: Html
  /** Scripts of `src/web` that this page needs besides `main.js`, such as `editor.js`. */
  scripts?: readonly string[]
  /** Uses the full width of the window, as diffs do. Declared up front, so that nothing moves when they arrive. */
  isWide?: boolean
  searchIn?: SearchScope
  /** Links for the menu in the header that creates things. */
  creations?: ReadonlyArray<readonly [label: string, href: string]>
}

/** A redirect, by GET, instead of a page. */
export interface Redirect {
  redirect: string
  /** 303 by default; 301 for a permanent move. */
  status?: 301 | 302 | 303
  /** A sentence for the target page: what has been done. */
  notice?: string
}

/** Content of users instead of a page: browsers never run it. */
export interface Bytes {
  bytes: RawReply
}

/** The result of a page or an action. `session` replaces the caller's session, or ends it (null). */
export type Outcome = (View | Redirect | Bytes) & {
  session?: string | null
  /** Whether the browser keeps the session when it is closed; as before by default. */
  isRemembered?: boolean
  /** The cookie value of a sign-in that waits for the second factor. */
  pending_sign_in?: string
  /** The colors from now on. */
  theme?: Theme
  /** The language from now on. */
  language?: Language
  /** Sealed state of a sign-in that continues at a provider: the browser returns it within minutes. Null deletes it. */
  provider_sign_in?: string | null
  /** Cookies to keep for a month, by name: nothing secret, and nothing that proves anything. */
  cookies?: Readonly<Record<string, string>>
}

type Awaitable<T> = Promise<T> | T

export interface PageSpec<S extends string, G extends Granted, Q extends TProperties> {
  access: Access<G>
  /** Parameters of the query. Invalid ones are answered with 400. */
  query?: Q
  /** Whether users can open it before they have accepted the terms or chosen a password. */
  beforeTerms?: true
  /** Whether users can open it before they have set up a second factor. */
  beforeSecondFactor?: true
  /** Authenticates the caller by something other than a session, such as a feed token; null without one, or if it is wrong. */
  principalBy?: (app: App, request: FastifyRequest) => Promise<Principal | null>
  /** A rate limit of its own, as endpoints have. */
  limit?: ActLimit
  show: (context: Context<S, G, Q>) => Awaitable<Outcome>
}

export interface ActionSpec<S extends string, G extends Granted, B extends TProperties> {
  access: Access<G>
  /** Fields of the form. If one is a `File` or `LargeFile` (http/parameters/schema.ts), the form on the page needs `files: true`. */
  form?: B
  /** Maximum size of a form with files, which are held in memory; 1 MiB by default. Without files it is always 1 MiB. */
  maxBody_bytes?: number
  /** Maximum total size of the large files of a form, which are streamed to disk. */
  maxFile_bytes?: (app: App) => Awaitable<number>
  beforeTerms?: true
  beforeSecondFactor?: true
  limit?: ActLimit
  /** Performs the action, and returns where to redirect. */
  act: (context: Context<S, G, B>) => Awaitable<Outcome>
  /** Shows the form again, with what was typed and its errors. Without it, a failure is shown on a page of its own. */
  again?: (context: Visit & G & { params: ParamsOf<S> }, typed: Typed) => Awaitable<View>
}

/** A submitted form, and its errors. */
export interface Typed {
  values: Readonly<Record<string, string>>
  errors: FormErrors
}

export interface FormErrors {
  /** Errors of the form as a whole. */
  all: readonly string[]
  /** Errors by field name. */
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

/** Declares a page by its URL in browsers: `GET /:project/tree/*`. */
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

/** Declares what a form does: `POST /:project/-/star`. */
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
