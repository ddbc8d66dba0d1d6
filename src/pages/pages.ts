/** The first pages: signing in, up and out, a password, the terms, help. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { asStorageFailure } from '../db/database.ts'
import { Failure } from '../failure.ts'
import { setRefusalHeaders } from '../http/errors.ts'
import { parseQuery } from '../http/parameters.ts'
import { throttled } from '../http/throttle.ts'
import { homePages } from './home.ts'
import { html } from './html.ts'
import { sendPage } from './page.ts'
import { visitorOf } from './page-session.ts'
import { passwordPages } from './password.ts'
import { signInPages } from './sign-in.ts'
import { signUpPages } from './sign-up.ts'
import { termsPages } from './terms.ts'
import { sentencesOf } from './texts.ts'

const maxForm_bytes = 64 * 1024

export async function pageRoutes(server: FastifyInstance, app: App): Promise<void> {
  await server.register(async (scope) => {
    // Only forms of browsers.
    scope.removeAllContentTypeParsers()
    const form = 'application/x-www-form-urlencoded'
    scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxForm_bytes }, (_, text, done) => {
      try {
        done(null, parseQuery(text as string))
      } catch (error) {
        done(error as Error)
      }
    })
    scope.setErrorHandler(showError)
    scope.addHook('onRequest', async (request, reply) => {
      const authenticate = () => visitorOf(app, request)
      if (app.limits.throttles.rules) await throttled(app, { request, reply, on: 'web', authenticate, userOf: (user) => user })
    })
    for (const pages of [homePages, signInPages, signUpPages, passwordPages, termsPages]) pages(scope, app)
  })
}

function showError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asStorageFailure(thrown)
  const known = error instanceof Failure
  const status = known ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
  if (status >= 500) request.log.error({ err: known ? (error.cause ?? error) : error }, 'page: request failed')
  if (known) setRefusalHeaders(error, reply)
  const strange = status < 500 ? 'The request could not be understood.' : 'Something went wrong on the server.'
  const sentences = known && (status < 500 || status === 503) ? sentencesOf(error) : [strange]
  const body = html`${sentences.map((sentence) => html`<p>${sentence}</p>`)}<p><a href="/">Continue</a></p>`
  sendPage(reply, { title: String(status), body, status })
}
