/** The user's own account: the username, and its deletion. */

import { Type } from 'typebox'
import { invalid } from '../../../failure.ts'
import { findNamespace } from '../../../features/namespaces/namespaces.ts'
import { disconnect } from '../../../features/people/provider-sign-in/provider-sign-in.ts'
import { changeUser } from '../../../features/people/users/users.ts'
import { deleteUser } from '../../../features/spaces/user-deletion/user-deletion.ts'
import { storageOf } from '../../../features/storage/quotas/quotas.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { storageLines } from '../../frame/storage.ts'
import { connectionsPart } from './connections.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView, takenByField } from './settings-view.ts'

const text = Type.String({ default: '' })

export const accountPages = [
  page('GET /profile/account', { access: signedIn(), show: (visit) => accountView(visit, untouched) }),
  action('POST /profile/account', {
    access: signedIn(),
    form: { username: text },
    async act({ app, user, sent: { username } }) {
      await changeUser(app, user.id, { username }).catch(takenByField)
      return { redirect: '/profile/account', notice: sentences.usernameChanged }
    },
    again: accountView,
  }),
  action('POST /profile/account/disconnect', {
    access: signedIn(),
    form: { provider: text },
    async act({ app, user, sent: { provider } }) {
      await disconnect(app, user.id, provider)
      return { redirect: '/profile/account', notice: sentences.disconnected }
    },
    again: accountView,
  }),
  action('POST /profile/account/delete', {
    access: signedIn(),
    form: { confirm: text, password: text },
    async act({ sent: { confirm, password }, ...visit }) {
      const { app, user } = visit
      if (confirm.trim() !== user.username) throw invalid({ confirm: [sentences.wrongName] })
      await assertProved(visit, password, { always: true, name: 'password' })
      await deleteUser(app, user.id, { hard_delete: false })
      return { session: null, redirect: '/users/sign_in', notice: sentences.accountDeleted }
    },
    again: accountView,
  }),
]

async function accountView(visit: OwnVisit, typed: Typed): Promise<View> {
  const { app, user, token } = visit
  const own = await findNamespace(app.db, { owner_id: user.id })
  const deletion = html`
    <p>${sentences.deletion}</p>
    <p>${sentences.contributions}</p>
    ${form(
      { action: '/profile/account/delete', token, submit: t`Delete my account`, kind: 'danger' },
      html`
        <p>Type <b>${isolated(user.username)}</b> to confirm.</p>
        ${field(t`Your username`, 'confirm', typed, { required: true, autocomplete: 'off' })}
        ${proofField(visit, typed, { always: true, name: 'password' })}
      `,
    )}
  `
  return settingsView('account', {
    title: t`Account`,
    main: html`
      <h1>Account</h1>
      ${problemsOf(typed.errors, ['username', 'confirm', 'password'])}
      ${form(
        { action: '/profile/account', token, submit: t`Change username` },
        field(t`Username`, 'username', typed, {
          value: user.username,
          required: true,
          autocomplete: 'username',
          hint: sentences.usernameHint,
        }),
      )}
      ${await connectionsPart({ app, user, token })}
      ${own && html`<h2>Storage</h2>${storageLines(await storageOf(app, own.id))}`}
      <h2>Delete your account</h2>
      ${dangerous(t`Delete your account`, deletion, 'confirm' in typed.values)}
    `,
  })
}
