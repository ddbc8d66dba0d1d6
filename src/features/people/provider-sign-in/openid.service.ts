/** Sign-in through an OpenID Connect provider, in two requests of a browser: to the provider, and back. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import type { OpenIdPerson, Proofs } from '../../../outgoing/identity-providers/openid.ts'
import type { OpenIdProvider } from '../../../outgoing/identity-providers/openid-settings.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { accountOf } from './accounts.service.ts'
import { connect } from './connections.service.ts'

/** The library is loaded with the first sign-in. */
const openId = () => import('../../../outgoing/identity-providers/openid.ts')

/** The providers that are currently enabled. */
export async function openIdProviders(app: App): Promise<OpenIdProvider[]> {
  const { openid } = app.config.identity_providers
  if (openid.length === 0) return []
  const { disabled_oauth_sign_in_sources: disabled } = await readSettings(app.db)
  return openid.filter(({ name }) => !disabled.includes(name))
}

/** Throws 404 for an unknown or disabled provider. */
async function requireProvider(app: App, name: string): Promise<OpenIdProvider> {
  const provider = (await openIdProviders(app)).find((one) => one.name === name)
  if (!provider) throw notFound('Provider')
  return provider
}

/** A pending sign-in. It is sealed and stored only in the browser, so nobody else can finish it. */
interface Pending extends Proofs {
  provider: string
  return_to: string
  /** The session of the user who connects an identity to their account; null if somebody signs in. */
  session: string | null
  ends_at: number
}

const lasts_ms = 600_000
const purpose = 'cookie of a sign-in'

/** The URL to redirect the browser to, and the value it must bring back. */
export async function leaveForProvider(
  app: App,
  name: string,
  { return_to, session }: Pick<Pending, 'return_to' | 'session'>,
): Promise<{ provider: OpenIdProvider; address: string; pending: string }> {
  const provider = await requireProvider(app, name)
  const { startSignIn, reasonOf } = await openId()
  try {
    const { address, proofs } = await startSignIn(provider, callbackOf(app, name), () => allowsLocal(app))
    const pending: Pending = { ...proofs, provider: name, return_to, session, ends_at: Date.now() + lasts_ms }
    return { provider, address, pending: app.secrets.seal(JSON.stringify(pending), purpose) }
  } catch (error) {
    app.log.warn({ provider: name, reason: reasonOf(error) }, 'sign-in through a provider: not reachable')
    throw new Failure('timed_out', `${provider.label} cannot be reached. Try again later.`, { cause: error })
  }
}

export interface Returning {
  /** The query of the URL that the browser came back to. */
  query: string
  /** The sealed value that it brought back. */
  pending: string | null
  /** The signed-in user and their session. */
  user: User | null
  session: string | null
}

/** The user, and where to redirect them. Throws 403, with advice for the person, if they can't sign in. */
export async function returnFromProvider(
  app: App,
  name: string,
  { query, pending, user, session }: Returning,
): Promise<{ provider: OpenIdProvider; user: User; return_to: string; isConnected: boolean }> {
  const provider = await requireProvider(app, name)
  const opened = openPending(app, pending)
  if (opened?.provider !== name || opened.ends_at < Date.now() || (opened.session !== null && opened.session !== session))
    throw new Failure('forbidden', 'This sign-in was not begun here, or took too long. Start again.')
  const person = await personAt(app, provider, query, opened)
  const identity = { provider: name, extern_uid: person.subject }
  const { return_to } = opened
  if (opened.session !== null && user !== null) {
    await connect(app, user.id, identity, provider.label)
    return { provider, user, return_to, isConnected: true }
  }
  const account = await accountOf(app, {
    ...identity,
    label: provider.label,
    usernames: [person.username],
    name: person.name,
    email: person.email,
    isEmailVerified: person.isEmailVerified || provider.trusts_email,
    sign_up: provider.sign_up,
  })
  return { provider, user: account, return_to, isConnected: false }
}

async function personAt(app: App, provider: OpenIdProvider, query: string, pending: Pending): Promise<OpenIdPerson> {
  const { finishSignIn, reasonOf, wasDenied } = await openId()
  try {
    return await finishSignIn(provider, new URL(`${callbackOf(app, provider.name)}?${query}`), pending, () => allowsLocal(app))
  } catch (error) {
    if (wasDenied(error)) throw new Failure('forbidden', `You did not sign in through ${provider.label}.`, { cause: error })
    app.log.warn({ provider: provider.name, reason: reasonOf(error) }, 'sign-in through a provider: failed')
    throw new Failure('forbidden', `Signing in through ${provider.label} failed. Start again.`, { cause: error })
  }
}

function openPending({ secrets }: App, sealed: string | null): Pending | null {
  if (sealed === null) return null
  try {
    return JSON.parse(secrets.unseal(sealed, purpose)) as Pending
  } catch {
    return null
  }
}

function callbackOf({ config }: App, name: string): string {
  return `${config.url}/users/auth/${name}/callback`
}

async function allowsLocal(app: App): Promise<boolean> {
  return (await readSettings(app.db)).allow_local_requests_from_hooks_and_services
}
