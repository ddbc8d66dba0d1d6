/** Signs in through an OpenID Connect provider, and connects a provider to an account. */

import { Type } from 'typebox'
import { Failure, forbidden } from '../../failure.ts'
import { leaveForProvider, openIdProviders, returnFromProvider } from '../../features/people/provider-sign-in/provider-sign-in.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { ownAddress } from '../frame/addresses.ts'
import { action, page, type View, type Visit } from '../frame/declaration.ts'
import { hidden } from '../frame/forms.ts'
import { isolated } from '../frame/parts.ts'
import { signInOutcome } from './sign-in-outcome.ts'

/** Longer ones don't fit into the cookie that keeps them. */
const longestReturn = 1_000

export const providerSignInPages = [
  action('POST /users/auth/:provider', {
    access: anyone(),
    form: { return_to: Type.Optional(Type.String()) },
    beforeTerms: true,
    async act({ app, params, session_digest, impersonator, sent }) {
      // Otherwise the administrator could sign in as this user from then on.
      if (impersonator !== null) throw forbidden(t`While you act as another user, you can’t connect their account.`)
      const back = ownAddress(sent.return_to) ?? '/'
      const return_to = back.length > longestReturn ? '/' : back
      const { provider, address, pending } = await leaveForProvider(app, params.provider, { return_to, session: session_digest })
      return { ...leadingView(provider.label, address), provider_sign_in: pending }
    },
  }),
  page('GET /users/auth/:provider/callback', {
    access: anyone(),
    beforeTerms: true,
    async show({ user, params, ...visit }) {
      const { app, address, session_digest: session, provider_sign_in: pending } = visit
      try {
        const query = address.slice(`${address}?`.indexOf('?') + 1)
        const returned = await returnFromProvider(app, params.provider, { query, pending, user, session })
        const { label } = returned.provider
        if (returned.isConnected) return { provider_sign_in: null, redirect: returned.return_to, notice: t`${label} has been connected.` }
        return { ...(await signInOutcome(visit, returned.user, { return_to: returned.return_to })), provider_sign_in: null }
      } catch (error) {
        if (!(error instanceof Failure) || error.code === 'not_found') throw error
        return { ...refusedView(error, user !== null), provider_sign_in: null }
      }
    },
  }),
]

/**
 * Browsers apply the page's limits for form targets to redirects after a form as well, and the target is known only now: so the page itself
 * redirects.
 */
function leadingView(label: string, address: string): View {
  return {
    title: t`Sign in with ${label}`,
    head: html`<meta http-equiv="refresh" content="0;url=${address}">`,
    main: html`
      <div class="narrow">
        <h1>Sign in with ${isolated(label)}</h1>
        <p><a href="${address}">Continue to ${isolated(label)}</a></p>
      </div>
    `,
  }
}

function refusedView({ message, status }: Failure, isSignedIn: boolean): View {
  const back = isSignedIn ? html`<a href="/profile/account">Your account</a>` : html`<a href="/users/sign_in">Sign in another way</a>`
  return {
    title: t`Sign-in failed`,
    status,
    main: html`
      <div class="narrow">
        <h1>Sign-in failed</h1>
        <div class="problems" role="alert"><p>${message}</p></div>
        <p>${back}</p>
      </div>
    `,
  }
}

/** A button for each provider, below the password form; nothing if there are none. */
export async function providerButtons({ app, token }: Pick<Visit, 'app' | 'token'>, return_to: string): Promise<Html | null> {
  const providers = await openIdProviders(app)
  if (providers.length === 0) return null
  return html`
    <ul class="providers" aria-label="Other ways to sign in">
      ${providers.map(({ name, label }) => html`<li>${leavingForm(t`Sign in with ${label}`, { name, token, return_to })}</li>`)}
    </ul>
  `
}

/** A form that leads to a provider. The browser sends it without script, as its target is not a page of this instance. */
export function leavingForm(submit: string, { name, token, return_to }: { name: string; token: Html; return_to: string }): Html {
  return html`
    <form method="post" action="/users/auth/${name}" data-plain>
      ${token}${hidden({ return_to })}
      <button>${submit}</button>
    </form>
  `
}
