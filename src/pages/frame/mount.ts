/** Serves pages and actions, always in this order: session, access, validation, view. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { userOf } from '../../access/principals.ts'
import type { App } from '../../app.ts'
import { atOneMoment } from '../../db/snapshot-id.ts'
import { Failure, notFound } from '../../failure.ts'
import { readSettings } from '../../features/instance/settings/settings.ts'
import { onBehalfOf } from '../../git/repository/handles.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { inLanguage } from '../../html/language.ts'
import { addressOf } from '../../http/caller/address.ts'
import { callerKey } from '../../http/caller/callers.ts'
import { cookieOf, pendingCookie } from '../../http/caller/cookies.ts'
import { asCaller } from '../../http/caller/origin.ts'
import type { Granted } from '../../http/declare/rules.ts'
import { enterStream } from '../../http/limits/streams.ts'
import { countAct, throttled } from '../../http/limits/throttle.ts'
import { type Parameters, parseQuery } from '../../http/parameters/parameters.ts'
import { targetOf } from '../../http/parameters/target.ts'
import { type Validate, validator } from '../../http/parameters/validate.ts'
import { setRefusalHeaders } from '../../http/reply/errors.ts'
import { abortSignalOf } from '../../http/serve/abort-signal.ts'
import { sendBytes } from '../../http/serve/bytes.ts'
import { formPageOf, signInAddress } from './addresses.ts'
import { bannersFor } from './banners.ts'
import { languageOf, setLanguage, setTheme, themeOf } from './choices.ts'
import { countsFor, forgetCounts } from './counts.ts'
import type { Outcome, Page, Typed, View, Visit } from './declaration.ts'
import { redirectTo, sendFixed, sendView } from './document.ts'
import { errorsOf, showFailure } from './errors.ts'
import { goGetPage } from './go-get.ts'
import { liveRoute } from './live.ts'
import { locate } from './locate.ts'
import { maxForm_bytes, withForm } from './multipart.ts'
import { setNotice, takeNotice } from './notice.ts'
import {
  fieldsOf,
  openPageSession,
  type PageSession,
  pageBefore,
  principalOf,
  providerSignInOf,
  senderOf,
  setCookies,
  setPendingSignIn,
  setProviderSignIn,
  setSession,
  tokenOf,
  typedIn,
  visitorOf,
} from './session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of a request for a page, once it is known. */
    pageSession: PageSession | null
  }
}

type Mounted = Record<Page['method'], readonly Page[]>

/**
 * Serves every page and action, at every URL that no other route handles.
 * @param load called at the first request for a page, and again if it failed
 */
export async function mountPages(server: FastifyInstance, app: App, load: () => Promise<readonly Page[]>): Promise<void> {
  let mounted: Promise<Mounted> | null = null
  const loaded = () => {
    mounted ??= load().then(mountedOf)
    mounted.catch(() => {
      mounted = null
    })
    return mounted
  }
  server.decorateRequest('pageSession', null)
  await server.register(async (scope) => {
    // Only forms of browsers; `withForm` reads those with files.
    scope.removeContentTypeParser(['application/json', 'application/x-www-form-urlencoded'])
    const form = 'application/x-www-form-urlencoded'
    scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxForm_bytes }, (_, text, done) => {
      try {
        done(null, parseQuery(text as string))
      } catch (error) {
        done(error as Error)
      }
    })
    scope.setErrorHandler((error, request, reply) => inLanguage(languageOf(request), () => showFailure(app, error, request, reply)))
    scope.addHook('onRequest', async (request, reply) => {
      const authenticate = () => visitorOf(app, request)
      if (app.limits.throttles.rules) await throttled(app, { request, reply, on: 'web', authenticate, userOf: (user) => user })
    })
    liveRoute(scope, app)
    scope.route({
      method: ['GET', 'POST'],
      url: '/*',
      async handler(request, reply) {
        const mounted = await loaded()
        const pages = mounted[request.method === 'POST' ? 'POST' : 'GET']
        return inLanguage(languageOf(request), () => answer(app, pages, request, reply))
      },
    })
  })
}

function mountedOf(pages: readonly Page[]): Mounted {
  return { GET: pages.filter(({ method }) => method === 'GET'), POST: pages.filter(({ method }) => method === 'POST') }
}

/** Kept with the declaration: a process has one server, but tests have hundreds. */
const validators = new WeakMap<Page, Validate<never>>()

function validatorOf(page: Page): Validate<never> {
  const known = validators.get(page)
  if (known) return known
  const made = validator(page.fields) as Validate<never>
  validators.set(page, made)
  return made
}

async function answer(app: App, pages: readonly Page[], request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const isForm = request.method === 'POST'
  const pageSession = isForm ? await senderOf(app, request) : await openPageSession(app, request, reply)
  request.pageSession = pageSession
  const { session } = pageSession
  const viewer = session?.user ?? null
  const forGo =
    isForm || !/(?:^|&)go-get=1(?:&|$)/.test(targetOf(request).query) ? null : await goGetPage(app, targetOf(request).path, viewer)
  if (forGo !== null) return sendFixed(reply, forGo)
  if (isForm && session?.impersonator)
    request.log.info({ impersonation: { by: session.impersonator, as: session.user.username } }, 'impersonation: action')
  const located = await locate(app.db, pages, targetOf(request).path, viewer)
  if (typeof located === 'string') return redirectTo(reply, located + queryOf(request), 301)
  const { page, params } = located ?? { page: null, params: {} }
  const first = pageBefore(page, session)
  if (first !== null) return redirectTo(reply, first)
  if (!page) throw notFound('Page')
  const principal = (await page.principalBy?.(app, request)) ?? principalOf(session)
  const user = userOf(principal)
  if (!user && !page.access.anonymous) return redirectTo(reply, signInAddress(request))
  const own = (repo: Repo) => onBehalfOf(repo, callerKey(request, user), () => abortSignalOf(reply))
  if (page.limit && app.limits.throttles.rules) await countAct(app, request, user, page.limit)
  const granted = await page.access.grant({
    app,
    principal,
    params,
    openRepo: (id) => own(app.git.open(id)),
    openWiki: (id) => own(app.git.openWiki(id)),
  })
  const context = { ...visitOf(app, request, pageSession), ...granted, params }
  const send = (outcome: Outcome) => sendOutcome(app, request, reply, { outcome, pageSession, user })
  const work = async () => send(await asCaller(request, principal, () => outcomeOf(page, context, validatorOf(page), request, reply)))
  if (!isForm || !request.isMultipart()) return work()
  const refuse = async (error: unknown) => send(await shownAgain(page, context, error, request, reply))
  return withForm(app, page, { request, reply, pageSession }, { work, refuse })
}

function visitOf(app: App, request: FastifyRequest, { session, token }: PageSession): Visit {
  return {
    app,
    ip: addressOf(request),
    agent: request.headers['user-agent'],
    address: request.url,
    token,
    session_digest: session?.digest ?? null,
    signed_in_at: session?.created_at ?? null,
    pending_sign_in: cookieOf(request, pendingCookie),
    impersonator: session?.impersonator ?? null,
    provider_sign_in: providerSignInOf(request),
  }
}

/** The answer of a page or action. A rejected form is shown again. */
async function outcomeOf(
  page: Page,
  context: Visit & Granted & { params: Record<string, string> },
  validate: Validate<never>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Outcome> {
  if (page.kind === 'page')
    return atOneMoment(context.app.db, async () => page.show({ ...context, sent: validate(request.query as Parameters) } as never))
  try {
    return await page.show({ ...context, sent: validate(fieldsOf(request)) } as never)
  } catch (error) {
    return shownAgain(page, context, error, request, reply)
  }
}

async function shownAgain(page: Page, context: Visit, error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<View> {
  if (!page.again || !(error instanceof Failure) || !isAboutTheForm(error)) throw error
  setRefusalHeaders(error, reply)
  const typed: Typed = { values: typedIn(request), errors: errorsOf(error) }
  const view: View = await page.again(context as never, typed)
  return { ...view, status: error.code === 'invalid' ? 422 : error.status }
}

/** Whether changing the fields, or trying later, could help. */
function isAboutTheForm({ code }: Failure): boolean {
  return ['invalid', 'conflict', 'unprocessable', 'limit_reached', 'too_large', 'too_many', 'ref_moved', 'forbidden'].includes(code)
}

async function sendOutcome(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { outcome, pageSession, user }: { outcome: Outcome; pageSession: PageSession; user: Granted['user'] },
): Promise<FastifyReply> {
  if (user && request.method === 'POST') forgetCounts(app, user)
  const isRemembered = outcome.isRemembered ?? pageSession.session?.is_remembered ?? false
  if (outcome.session !== undefined) setSession(app, reply, outcome.session, isRemembered)
  if (outcome.pending_sign_in !== undefined) setPendingSignIn(app, reply, outcome.pending_sign_in)
  if (outcome.theme !== undefined) setTheme(app, reply, outcome.theme)
  if (outcome.language !== undefined) setLanguage(app, reply, outcome.language)
  if (outcome.provider_sign_in !== undefined) setProviderSignIn(app, reply, outcome.provider_sign_in)
  setCookies(app, reply, outcome.cookies ?? {})
  if ('redirect' in outcome) {
    if (outcome.notice !== undefined) setNotice(app, reply, outcome.session ?? pageSession.secret, outcome.notice)
    return redirectTo(reply, outcome.redirect, outcome.status)
  }
  if ('bytes' in outcome) return sendBytes(app, request, reply, outcome.bytes, () => enterStream(app, request, reply, { user }))
  // The menu of every page has a form to sign out.
  const leads_to = outcome.leads_to ?? (user && (await readSettings(app.db)).after_sign_out_path)
  const notice = takeNotice(app, request, reply, pageSession.secret)
  const banners = await bannersFor(app, request, { ...pageSession, address: addressShown(request) })
  const counts = user && (await countsFor(app, user))
  const above = typeof outcome.above === 'function' ? await outcome.above(app) : outcome.above
  return sendView(
    reply,
    { ...outcome, leads_to, above: above ?? null },
    {
      app,
      user,
      token: outcome.session ? tokenOf(outcome.session) : pageSession.token,
      address: addressShown(request),
      theme: themeOf(request),
      notice,
      banners,
      counts,
    },
  )
}

/** The URL that links of the page lead back to: a form that is shown again is at a URL that only accepts POST. */
function addressShown(request: FastifyRequest): string {
  return request.method === 'POST' ? (formPageOf(request) ?? '/') : request.url
}

function queryOf(request: FastifyRequest): string {
  const { query } = targetOf(request)
  return query === '' ? '' : `?${query}`
}
