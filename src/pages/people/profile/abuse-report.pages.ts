/** Telling administrators of a user who does harm. */

import { Type } from 'typebox'
import type { User } from '../../../db/tables.ts'
import { abuseCategories, reportAbuse } from '../../../features/people/abuse-reports/abuse-reports.ts'
import { html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { type Choice, field, form, problemsOf, select, textArea, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'

const text = Type.String({ default: '' })
const owner = within(signedIn(), userById)

export const reportPages = [
  page('GET /users/:user/report', { access: owner, show: (visit) => formOf(visit, untouched) }),
  action('POST /users/:user/report', {
    access: owner,
    form: { category: text, message: text, url: text },
    async act({ app, user, owner, sent }) {
      await reportAbuse(app, user, owner, sent)
      return { redirect: `/${owner.username}`, notice: t`Thank you. An administrator will look at it.` }
    },
    again: formOf,
  }),
]

const labels: Record<(typeof abuseCategories)[number], string> = translated({
  spam: 'Spam',
  offensive: 'Offensive or abusive',
  phishing: 'Phishing',
  crypto: 'Mining of cryptocurrency',
  credentials: 'Personal data or credentials',
  copyright: 'Violates copyright or a trademark',
  malware: 'Malware',
  other: 'Something else',
})

function formOf({ token, owner }: Visit & { owner: User }, typed: Typed): View {
  const choices: Choice[] = abuseCategories.map((category) => [category, labels[category]] as const)
  return {
    title: t`Report ${owner.username}`,
    main: html`
      <div class="narrow">
        <h1>Report ${isolated(owner.name)} <span class="hint">@${owner.username}</span></h1>
        <p>Administrators read what you write, and see that it was you.</p>
        ${problemsOf(typed.errors, ['category', 'message', 'url'])}
        ${form(
          { action: `/users/${owner.username}/report`, token, submit: t`Send report`, kind: 'primary' },
          html`
            ${select(t`What it is`, 'category', typed, choices, { value: 'spam' })}
            ${field(t`Address of a page that shows it`, 'url', typed, { type: 'url' })}
            ${textArea(t`What happened`, 'message', typed, { rows: 6, required: true })}
          `,
        )}
        <p><a href="/${owner.username}">Back</a></p>
      </div>
    `,
  }
}
