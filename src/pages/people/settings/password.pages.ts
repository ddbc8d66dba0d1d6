/** Changing one's own password, among the other settings. */

import { html } from '../../../html/html.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { problemsOf, untouched } from '../../frame/forms.ts'
import { passwordFields, passwordForm, setOwnPassword } from '../password-form.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

export const ownPasswordPages = [
  page('GET /profile/password', { access: signedIn(), show: (visit) => passwordView(visit, untouched) }),
  action('POST /profile/password', {
    access: signedIn(),
    form: passwordFields,
    async act(context) {
      await setOwnPassword(context, context.sent)
      return { redirect: '/profile/password', notice: sentences.passwordChanged }
    },
    again: passwordView,
  }),
]

function passwordView({ token }: OwnVisit, typed: Typed): View {
  return settingsView('password', {
    title: 'Password',
    main: html`
      <h1>Password</h1>
      <p>${sentences.passwordEnds}</p>
      ${problemsOf(typed.errors, ['current_password', 'password', 'password_confirmation'])}
      ${passwordForm({ action: '/profile/password', token }, typed)}
    `,
  })
}
