/** Changing the password, by choice or because an administrator set it. */
import { Type } from 'typebox'
import { passwordHasExpired, signInByPassword } from '../../access/users.ts'
import type { User } from '../../db/tables.ts'
import { invalid } from '../../failure.ts'
import { changeUser } from '../../features/people/users/users.ts'
import { signedIn } from '../../http/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../frame/declaration.ts'
import { field, problemsOf, untouched } from '../frame/forms.ts'
import { html } from '../frame/html.ts'

const text = Type.String({ default: '' })

export const passwordPages = [
  page('GET /users/password', { access: signedIn(), beforeTerms: true, show: (context) => formOf(context, untouched) }),
  action('POST /users/password', {
    access: signedIn(),
    form: { current_password: text, password: text, password_confirmation: text },
    beforeTerms: true,
    async act({ app, ip, user, session_digest, sent: { current_password, password, password_confirmation } }) {
      const right = await signInByPassword(app.db, user.username, current_password, ip)
      if (right?.id !== user.id) throw invalid('The current password is wrong.')
      if (password !== password_confirmation) throw invalid('The new passwords do not match.')
      if (password === current_password) throw invalid('The new password must differ from the current one.')
      // Ends all other sessions: somebody may know the old password.
      await changeUser(app, user.id, { password, ...(session_digest !== null && { session: session_digest }) })
      return { redirect: '/' }
    },
    again: formOf,
  }),
]

function formOf({ token, user }: Pick<Visit, 'token'> & { user: User }, typed: Typed): View {
  const forced = passwordHasExpired(user) && html`<p>An administrator set your password. Choose a new one to continue.</p>`
  return {
    title: 'Change password',
    main: html`<div class="narrow"><h1>Change password</h1>${forced}${problemsOf(typed.errors, ['password'])}
<form method="post" action="/users/password">${token}
${field('Current password', 'current_password', typed, { type: 'password', autocomplete: 'current-password', required: true })}
${field('New password', 'password', typed, { type: 'password', autocomplete: 'new-password', minlength: 8, required: true })}
${field('Confirm new password', 'password_confirmation', typed, { type: 'password', autocomplete: 'new-password', required: true })}
<button class="primary">Change password</button></form></div>`,
  }
}
