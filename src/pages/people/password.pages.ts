/** Changing the password before anything else, because an administrator set it; and the address that was always there. */

import { passwordHasExpired } from '../../access/users.ts'
import type { User } from '../../db/tables.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { signedIn } from '../../http/declare/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { problemsOf, untouched } from '../frame/forms.ts'
import { passwordFields, passwordForm, setOwnPassword } from './password-form.ts'

export const passwordPages = [
  page('GET /users/password', { access: signedIn(), beforeTerms: true, show: (context) => formOf(context, untouched) }),
  action('POST /users/password', {
    access: signedIn(),
    form: passwordFields,
    beforeTerms: true,
    async act(context) {
      await setOwnPassword(context, context.sent)
      return { redirect: '/' }
    },
    again: formOf,
  }),
]

function formOf({ token, user }: Pick<Visit, 'token'> & { user: User }, typed: Typed): View {
  const forced = passwordHasExpired(user) && html`<p>An administrator set your password. Choose a new one to continue.</p>`
  return {
    title: t`Change password`,
    main: html`
      <div class="narrow">
        <h1>Change password</h1>
        ${forced}${problemsOf(typed.errors, ['password'])}${passwordForm({ action: '/users/password', token }, typed)}
      </div>
    `,
  }
}
