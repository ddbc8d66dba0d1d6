/** Changes the user's own password, among the other settings. */

import { isInDirectory } from '../../../features/people/provider-sign-in/provider-sign-in.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { problemsOf, untouched } from '../../frame/forms.ts'
import { passwordFields, passwordForm, setOwnPassword } from '../password-form.ts'
import { sentences } from './sentences.ts'
import { type InnerView, type OwnVisit, settingsView } from './settings-view.ts'

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

async function passwordView({ app, user, token }: OwnVisit, typed: Typed): Promise<View> {
  if (user.password_hash === null) return settingsView('password', withoutPassword(await isInDirectory(app, user)))
  return settingsView('password', {
    title: t`Password`,
    main: html`
      <h1>Password</h1>
      <p>${sentences.passwordEnds}</p>
      ${problemsOf(typed.errors, ['current_password', 'password', 'password_confirmation'])}
      ${passwordForm({ action: '/profile/password', token }, typed)}
    `,
  })
}

/** There is no password to change, so a form that asks for the current one could not be filled in. */
function withoutPassword(isOfDirectory: boolean): InnerView {
  const where = html`<a href="/profile/personal_access_tokens">Access tokens</a>`
  return {
    title: t`Password`,
    main: html`<h1>Password</h1><p>${isOfDirectory ? sentences.directoryPassword : sentences.noPassword}</p><p>${where}</p>`,
  }
}
