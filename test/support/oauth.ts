/** An application, and a user's browser that authorizes it, for tests of OAuth. */
import { createHash } from 'node:crypto'
import type { ApplicationScope } from '../../src/access/levels.ts'
import { insertGrant } from '../../src/features/people/oauth/oauth.queries.ts'
import { issueToken } from '../../src/features/people/oauth/tokens.service.ts'
import { createApplication, type NewApplication } from '../../src/features/people/oauth-applications/oauth-applications.service.ts'
import { type Browser, browserOf } from './browser.ts'
import type { Answer } from './client.ts'
import type { Forge, TestUser } from './forge.ts'

export const redirect_uri = 'https://app.example/callback'
export const verifier = 'a-verifier-that-has-at-least-forty-three-characters'
export const challenge = createHash('sha256').update(verifier).digest('base64url')

export interface TestApplication {
  id: number
  client_id: string
  client_secret: string | undefined
}

export async function anApplication(forge: Forge, wanted: Partial<NewApplication> = {}): Promise<TestApplication> {
  const { row, secret } = await createApplication(forge.app.db, {
    name: 'Build server',
    redirect_uri,
    scopes: 'api read_user read_repository write_repository openid profile email',
    confidential: true,
    owner_id: null,
    ...wanted,
  })
  return { id: row.id, client_id: row.uid, client_secret: secret ?? undefined }
}

export async function browserAs(forge: Forge, { username, password }: Pick<TestUser, 'username' | 'password'>): Promise<Browser> {
  const browser = browserOf(forge.server)
  await browser.submit('/users/sign_in', '/users/sign_in', { login: username, password: password ?? '' })
  return browser
}

export function authorizeAddress({ client_id }: TestApplication, parameters: Record<string, string> = {}): string {
  const usual = { client_id, redirect_uri, response_type: 'code', scope: 'api', state: 'a-state' }
  return `/oauth/authorize?${new URLSearchParams({ ...usual, ...parameters })}`
}

/** The browser is redirected to the application; these are the parameters of that URL. */
export async function decide(
  browser: Browser,
  application: TestApplication,
  parameters: Record<string, string> = {},
  decision: 'allow' | 'deny' = 'allow',
): Promise<Record<string, string>> {
  const shown = await browser.submit(authorizeAddress(application, parameters), '/oauth/authorize', { decision })
  return toldBy(shown.location)
}

export function toldBy(location: string | undefined): Record<string, string> {
  return Object.fromEntries(new URL(location ?? '').searchParams)
}

/** Posts a form as a client does, without credentials in its headers. */
export function postForm(
  forge: Forge,
  path: string,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return forge.anonymous.post(`/${path}`, new URLSearchParams(sent).toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

export function redeem(
  forge: Forge,
  { client_id, client_secret }: TestApplication,
  code: string | undefined,
  fields: Record<string, string> = {},
): Promise<Answer> {
  return postForm(forge, '/oauth/token', { grant_type: 'authorization_code', client_id, client_secret, redirect_uri, code, ...fields })
}

export function refresh(forge: Forge, { client_id, client_secret }: TestApplication, refresh_token: string): Promise<Answer> {
  return postForm(forge, '/oauth/token', { grant_type: 'refresh_token', client_id, client_secret, refresh_token })
}

/** The tokens of an application that a user has authorized. */
export async function tokensFor(
  forge: Forge,
  user: TestUser,
  application: TestApplication,
  scope = 'api',
): Promise<{ access_token: string; refresh_token: string }> {
  const { code } = await decide(await browserAs(forge, user), application, { scope, prompt: 'consent' })
  return (await redeem(forge, application, code)).body
}

/** An access token as from `tokensFor`, without the authorization flow. */
export async function oauthToken(
  { app: { db } }: Forge,
  user_id: number,
  scopes: ApplicationScope[],
  application: TestApplication,
): Promise<string> {
  const grant = await insertGrant(db, { application_id: application.id, user_id, scopes: scopes.join(' ') })
  return (await issueToken(db, grant, scopes, { isRefreshable: false })).access_token
}
