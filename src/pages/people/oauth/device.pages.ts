/** The page on which a user authorizes a device without a browser, by the code that it shows. */

import { Type } from 'typebox'
import type { ApplicationScope } from '../../../access/levels.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden, invalid } from '../../../failure.ts'
import { decideDevice, findWaitingDevice, shownCode } from '../../../features/people/oauth/oauth.ts'
import { html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, hidden, problemsOf, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { askingFor, decisionButtons } from './authorize.pages.ts'

const text = Type.String({ default: '' })
const unknownCode = translated({ user_code: ['is unknown, or not valid any more'] })

export const devicePages = [
  page('GET /oauth/device', {
    access: signedIn(),
    query: { user_code: text },
    show: ({ sent: { user_code }, ...visit }) => codeView(visit, { ...untouched, values: { user_code } }),
  }),
  action('POST /oauth/device', {
    access: signedIn(),
    form: { user_code: text },
    async act({ app, token, user, sent: { user_code } }) {
      const found = await findWaitingDevice(app.db, user_code)
      if (!found) throw invalid(unknownCode)
      const { device, application } = found
      const shown = shownCode(device.user_code)
      return {
        title: t`Authorize a device`,
        main: html`
          <div class="narrow">
            <h1>Authorize ${isolated(application.name)} on a device?</h1>
            <p>Go on only if the device in front of you shows <b>${shown}</b>, and if it was you who started this.</p>
            ${askingFor(application, user, device.scopes.split(' ') as ApplicationScope[])}
            <form method="post" action="/oauth/device/decision">
              ${token}${hidden({ user_code: shown })}${decisionButtons()}
            </form>
          </div>
        `,
      }
    },
    again: codeView,
  }),
  action('POST /oauth/device/decision', {
    access: signedIn(),
    form: { user_code: text, decision: Type.String({ default: 'deny' }) },
    async act({ app, user, impersonator, sent: { user_code, decision } }) {
      if (impersonator !== null) throw forbidden(t`While you act as another user, you can’t let applications act for them.`)
      const found = await findWaitingDevice(app.db, user_code)
      if (!found) throw invalid(unknownCode)
      const isAllowed = decision === 'allow'
      await decideDevice(app, user, found.device, isAllowed)
      const words = isAllowed ? t`The device is let in. It goes on by itself in a few seconds.` : t`The device is not let in.`
      return { redirect: '/oauth/device', notice: words }
    },
    again: codeView,
  }),
]

function codeView({ token }: Visit & { user: User }, typed: Typed): View {
  return {
    title: t`Authorize a device`,
    main: html`
      <div class="narrow">
        <h1>Authorize a device</h1>
        <p>Type the code that the device shows.</p>
        ${problemsOf(typed.errors, ['user_code'])}
        ${form(
          { action: '/oauth/device', token, submit: t`Continue` },
          field(t`Code`, 'user_code', typed, { required: true, autofocus: true, autocomplete: 'off' }),
        )}
      </div>
    `,
  }
}
