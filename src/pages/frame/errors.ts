/** Failures as pages, and as errors of a form. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/storage-failure.ts'
import { Failure } from '../../failure.ts'
import { type Html, html } from '../../html/html.ts'
import { refusalInWords } from '../../html/refusals.ts'
import { declared, t, translated } from '../../html/sentences.ts'
import { setRefusalHeaders } from '../../http/reply/errors.ts'
import { formPageOf, signInAddress } from './addresses.ts'
import { impersonationBar } from './banners.ts'
import { themeOf } from './choices.ts'
import type { FormErrors } from './declaration.ts'
import { sendView } from './document.ts'
import { typedIn } from './session.ts'

/** The messages of a failure: by field, and about the whole form. They are translated where they are shown. */
export function errorsOf({ code, message, body }: Failure): FormErrors {
  if (code === 'too_large' && typeof body.error === 'string') return { all: [t`What you sent is too large.`], of: {} }
  const sent = body.message
  if (Array.isArray(sent)) return { all: sent.map(String), of: {} }
  if (typeof sent === 'object' && sent !== null) {
    const listed = Object.entries(sent as Record<string, string | string[]>).map(([name, found]) => [name, [found].flat()] as const)
    // `base` and `error` aren't fields: their messages are about the whole form.
    const { base = [], error = [], ...of }: Record<string, string[]> = Object.fromEntries(listed)
    return { all: [...base, ...error], of: sentencesByField(of) }
  }
  const text = typeof body.error === 'string' ? body.error : message
  return { all: [text.replace(/^\d{3} (?:Bad request - |Forbidden - )?/, '')], of: {} }
}

function sentencesByField(errors: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, sentences]) => [field, sentences.map((sentence) => `${labelOf(field)} ${sentence}`)]),
  )
}

/** Turns the name of a field of the API into the words that its label has, in the language of the page. */
export function labelOf(field: string): string {
  const words = field.replaceAll('_', ' ')
  return declared(words.charAt(0).toUpperCase() + words.slice(1))
}

/** All messages of a failure, in the language of the page. */
function sentencesOf(failure: Failure): string[] {
  const { all, of } = errorsOf(failure)
  return [...all, ...Object.values(of).flat()].map(refusalInWords)
}

/** The title of an error page, by status. */
const titles: Record<number, string> = translated({
  400: 'That can’t be done',
  401: 'You are not signed in',
  403: 'You may not do that',
  404: 'There is no such page',
  413: 'That is too large',
  415: 'That is no form of this site',
  429: 'Too many requests',
  503: 'Not available at the moment',
})

/**
 * The page of an error. Internal details are only in the log, under the id on the page. If a form was sent by a script, the script shows
 * the error in that form.
 */
export function showFailure(app: App, thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const error = asStorageFailure(thrown)
  const known = error instanceof Failure
  const status = known ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
  if (status >= 500) request.log.error({ err: known ? (error.cause ?? error) : error }, 'page: request failed')
  if (known) setRefusalHeaders(error, reply)
  const user = request.pageSession?.session?.user ?? null
  const back = request.method === 'POST' ? formPageOf(request) : null
  const main = html`
    <div data-failure>
      <h1>${titles[status] ?? t`Something went wrong`}</h1>
      ${sentencesFor(error, status).map((sentence) => html`<p>${sentence}</p>`)}
      ${status >= 500 && html`<p>If it happens again, give your administrator the id of this request: <code>${request.id}</code></p>`}
    </div>
    ${typedBack(request)}
    <p>
      ${user === null && (status === 404 || status === 403) && html`<a href="${signInAddress(request)}">Sign in</a> · `}${
        back !== null && html`<a href="${back}">Back to the form</a> · `
      }<a href="/">Home</a>
    </p>
  `
  const token = request.pageSession?.token ?? null
  const banners = request.pageSession && impersonationBar(request.pageSession)
  return sendView(
    reply,
    { title: String(status), main, status },
    { app, user, token, address: back ?? request.url, theme: themeOf(request), banners },
  )
}

/**
 * Long texts of a rejected form, to copy. Only if the form came from our own page: otherwise another site could display its words as ours.
 */
function typedBack(request: FastifyRequest): Html | null {
  if (request.method !== 'POST' || formPageOf(request) === null || request.headers['sec-fetch-site'] !== 'same-origin') return null
  const texts = Object.entries(typedIn(request)).filter(([name, text]) => text.length > 60 && !/password|token/.test(name))
  if (texts.length === 0) return null
  return html`
    <h2>What you typed</h2>
    ${texts.map(
      ([name, text]) => html`
        <div class="field">
          <label for="typed-${name}">${labelOf(name)}</label>
          <textarea id="typed-${name}" rows="6" readonly>\n${text}</textarea>
        </div>
      `,
    )}
  `
}

function sentencesFor(error: unknown, status: number): string[] {
  if (status === 404 && !(error instanceof Failure && !error.message.startsWith('404')))
    return [t`It may have been moved or deleted, or you may not be allowed to see it.`]
  if (error instanceof Failure && (status < 500 || status === 503)) return sentencesOf(error)
  return [status < 500 ? t`The request could not be understood.` : t`The server could not do this. What is broken is in its log.`]
}
