/** The page on which a user authorizes an application, or doesn't. */

import { Type } from 'typebox'
import type { ApplicationScope } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import type { OAuthApplication, User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import {
  type AuthorizationRequest,
  allow,
  authorizationParameters,
  needsConsent,
  readAuthorization,
  refusalAddress,
  type SentAuthorization,
} from '../../../features/people/oauth/oauth.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { anyone, signedIn } from '../../../http/declare/rules.ts'
import { signInFrom } from '../../frame/addresses.ts'
import { action, type Outcome, page, type Visit } from '../../frame/declaration.ts'
import { hidden } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { scopeMeaning } from '../settings/sentences.ts'

type Parameter = (typeof authorizationParameters)[number]

const text = Type.Optional(Type.String())
const parameters = Object.fromEntries(authorizationParameters.map((name) => [name, text])) as Record<Parameter, typeof text>

export const authorizePages = [
  page('GET /oauth/authorize', {
    access: anyone(),
    query: parameters,
    async show({ user, sent, ...visit }) {
      const { app, address, impersonator } = visit
      const request = await readAuthorization(app, sent)
      if ('refusal' in request) return leadTo(request.refusal)
      const isSilent = request.prompts.includes('none')
      if (user === null)
        return isSilent ? refuse(app, request, 'login_required', t`Nobody is signed in.`) : { redirect: signInFrom(address) }
      if (impersonator === null && !(await needsConsent(app, user, request))) return leadTo(await allow(app, user, request))
      return isSilent ? refuse(app, request, 'consent_required', t`The user must be asked.`) : consentView(visit, user, request, sent)
    },
  }),
  action('POST /oauth/authorize', {
    access: signedIn(),
    form: { ...parameters, decision: Type.String({ default: 'deny' }) },
    async act({ app, user, impersonator, sent: { decision, ...sent } }) {
      const request = await readAuthorization(app, sent)
      if ('refusal' in request) return leadTo(request.refusal)
      if (decision !== 'allow') return refuse(app, request, 'access_denied', 'The user denied the request.')
      // An administrator could act as the user long after the impersonation.
      if (impersonator !== null) throw forbidden(t`While you act as another user, you can’t let applications act for them.`)
      return leadTo(await allow(app, user, request))
    },
  }),
]

/** With 302, which clients of every age expect. */
function leadTo(redirect: string): Outcome {
  return { redirect, status: 302 }
}

function refuse(app: App, request: AuthorizationRequest, error: string, description: string): Outcome {
  return leadTo(refusalAddress(app, request, error, description))
}

function consentView({ token }: Visit, user: User, request: AuthorizationRequest, sent: SentAuthorization): Outcome {
  const { application, scopes, redirect_uri } = request
  const fields = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return {
    title: t`Authorize an application`,
    leads_to: redirect_uri,
    main: html`
      <div class="narrow">
        <h1>Authorize ${isolated(application.name)}?</h1>
        ${askingFor(application, user, scopes)}
        <p>You are led to <bdi>${shownTarget(redirect_uri)}</bdi> then.</p>
        <form method="post" action="/oauth/authorize" data-plain>
          ${token}${hidden(Object.fromEntries(fields))}${decisionButtons()}
        </form>
      </div>
    `,
  }
}

/** The host that receives the answer; for an app on a device, its scheme. */
function shownTarget(redirect_uri: string): string {
  const { host, protocol } = new URL(redirect_uri)
  return host === '' || !/^https?:$/.test(protocol) ? protocol : host
}

/** Which application asks for which scopes, for the user who decides. */
export function askingFor({ registered }: OAuthApplication, { username }: User, scopes: readonly ApplicationScope[]): Html {
  return html`
    ${registered && html`<p class="error">This application registered itself. Nobody here vouches for it.</p>`}
    <p>It wants to act for you, ${isolated(username)}:</p>
    <ul>${scopes.map((scope) => html`<li><b>${scope}</b>: ${scopeMeaning(scope, 'reader')}.</li>`)}</ul>
  `
}

export function decisionButtons(): Html {
  return html`
    <p class="actions">
      <button class="primary" name="decision" value="allow">Authorize</button>
      <button name="decision" value="deny">Deny</button>
    </p>
  `
}
