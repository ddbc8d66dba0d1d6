/** The terms of service: reading and accepting them. */
import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { Failure } from '../failure.ts'
import { acceptTerms, digestOfTerms, readSettings } from '../features/instance/settings/settings.ts'
import { html } from './html.ts'
import { redirectTo, sendPage } from './page.ts'
import { fieldOf, openPageSession, senderOf } from './page-session.ts'
import { proseOf } from './texts.ts'

export function termsPages(scope: FastifyInstance, app: App): void {
  scope.get('/-/terms', async (request, reply) => {
    const { session, token } = await openPageSession(app, request, reply)
    const { terms, after_sign_out_path: leadsTo } = await readSettings(app.db)
    if (terms === null) throw new Failure('not_found', 'There are no terms of service.')
    const digest = digestOfTerms(terms)
    const accepted = session?.user.accepted_terms === digest
    const form = html`<form method="post" action="/-/terms">${token}<input type="hidden" name="digest" value="${digest}">
<button>Accept terms</button></form><form method="post" action="/users/sign_out">${token}<button>Decline and sign out</button></form>`
    const body = html`${await proseOf(terms)}${session && (accepted ? html`<p>You have accepted these terms. <a href="/">Continue</a></p>` : form)}`
    return sendPage(reply, { title: 'Terms of service', body, leadsTo })
  })
  scope.post('/-/terms', async (request, reply) => {
    const { session } = await senderOf(app, request)
    if (!session) return redirectTo(reply, '/users/sign_in')
    const { terms } = await readSettings(app.db)
    // The terms may have changed since they were shown: then the new text is shown first.
    if (terms === null || digestOfTerms(terms) !== fieldOf(request, 'digest')) return redirectTo(reply, '/-/terms')
    await acceptTerms(app.db, session.user)
    return redirectTo(reply, '/')
  })
}
