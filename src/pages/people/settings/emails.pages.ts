/** The user's own email addresses. */

import { Type } from 'typebox'
import type { Email } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { addEmail, allEmails, changeUser, emailOfUser, removeEmail } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView, takenByField } from './settings-view.ts'

const ownEmail = nested({ email_id: Id }, async ({ user }: SignedIn, { email_id }, app) => {
  const email = await emailOfUser(app.db, user.id, email_id)
  if (!email) throw notFound('Email')
  return { email }
})

export const emailPages = [
  page('GET /profile/emails', { access: signedIn(), show: (visit) => emailsView(visit, untouched) }),
  action('POST /profile/emails', {
    access: signedIn(),
    form: { email: Type.String({ default: '' }), proof: Type.String({ default: '' }) },
    async act({ sent: { email, proof }, ...visit }) {
      const { app, user } = visit
      // An address can become the primary one, to which links go that choose a password.
      await assertProved(visit, proof)
      await addEmail(app, user, email, { confirmed: false })
      return { redirect: '/profile/emails', notice: app.mailer === null ? sentences.emailAddedWithoutMail : sentences.emailAdded }
    },
    again: emailsView,
  }),
  action('POST /profile/emails/:email_id/delete', {
    access: within(signedIn(), ownEmail),
    async act({ app, email }) {
      await removeEmail(app, email)
      return { redirect: '/profile/emails', notice: sentences.emailRemoved }
    },
  }),
  action('POST /profile/emails/:email_id/primary', {
    access: within(signedIn(), ownEmail),
    async act({ app, user, email }) {
      const changed = await changeUser(app, user.id, { email: email.email }).catch(takenByField)
      const waits = app.mailer === null ? sentences.primaryWaitsWithoutMail : sentences.primaryWaits
      return { redirect: '/profile/emails', notice: changed.email === email.email ? sentences.primaryChanged : waits }
    },
  }),
]

const maxListed = 200

async function emailsView(visit: OwnVisit, typed: Typed): Promise<View> {
  const { app, user, token } = visit
  const emails = await allEmails(app.db, user.id, maxListed)
  return settingsView('emails', {
    title: t`Emails`,
    main: html`
      <h1>Emails</h1>
      <p>${sentences.emailsAre}</p>
      <ul class="rows">${emails.map((email) => rowOf(email, user.unconfirmed_email, token))}</ul>
      <h2>Add an address</h2>
      ${problemsOf(typed.errors, ['email', 'proof'])}
      ${form(
        { action: '/profile/emails', token, submit: t`Add address` },
        html`${field(t`Email`, 'email', typed, { type: 'email', required: true, autocomplete: 'email' })}${proofField(visit, typed)}`,
      )}
    `,
  })
}

function rowOf({ id, email, is_primary, confirmed_at }: Email, wanted: string | null, token: Html): Html {
  const tags = [is_primary && t`primary`, confirmed_at === null && t`not confirmed`, wanted === email && t`to become primary`]
  return html`
    <li>
      <div class="what">${isolated(email)} ${tags.map((tag) => tag && html`<span class="tag">${tag}</span> `)}</div>
      <div class="facts">
        ${
          !is_primary &&
          html`
            ${postButton(t`Make primary`, { action: `/profile/emails/${id}/primary`, token })}
            ${postButton(t`Remove`, { action: `/profile/emails/${id}/delete`, token, kind: 'danger' })}
          `
        }
      </div>
    </li>
  `
}
