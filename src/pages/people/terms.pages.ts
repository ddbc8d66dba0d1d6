/** The terms of service: reading and accepting them. */

import { Type } from 'typebox'
import { Failure, forbidden } from '../../failure.ts'
import { acceptTerms, digestOfTerms, readSettings } from '../../features/instance/settings/settings.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { anyone, signedIn } from '../../http/declare/rules.ts'
import { action, page } from '../frame/declaration.ts'
import { proseOf } from '../frame/texts.ts'

export const termsPages = [
  page('GET /-/terms', {
    access: anyone(),
    beforeTerms: true,
    async show({ app, user, token }) {
      const { terms } = await readSettings(app.db)
      if (terms === null) throw new Failure('not_found', t`There are no terms of service.`)
      const digest = digestOfTerms(terms)
      const form = html`
        <form method="post" action="/-/terms">
          ${token}<input type="hidden" name="digest" value="${digest}"><button class="primary">Accept terms</button>
        </form>
        <form method="post" action="/users/sign_out">${token}<button>Decline and sign out</button></form>
      `
      const accepted = html`<p>You have accepted these terms. <a href="/">Continue</a></p>`
      return {
        title: t`Terms of service`,
        main: html`<div class="narrow"><h1>Terms of service</h1>${await proseOf(terms)}${
          user !== null && (user.accepted_terms === digest ? accepted : form)
        }</div>`,
      }
    },
  }),
  action('POST /-/terms', {
    access: signedIn(),
    form: { digest: Type.String() },
    beforeTerms: true,
    async act({ app, user, impersonator, sent: { digest } }) {
      if (impersonator !== null) throw forbidden(t`Only the user can accept the terms.`)
      const { terms } = await readSettings(app.db)
      // The terms may have changed since they were shown: then the new text is shown first.
      if (terms === null || digestOfTerms(terms) !== digest) return { redirect: '/-/terms' }
      await acceptTerms(app.db, user)
      return { redirect: '/' }
    },
  }),
]
