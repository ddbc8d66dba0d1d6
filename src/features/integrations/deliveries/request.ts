/** The request that delivers a payload: its headers, and its signature in the form of the Standard Webhooks convention. */
import { createHmac } from 'node:crypto'
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import { programVersion } from '../../../version.ts'
import { signingKey, valuesOf } from '../hooks/hooks.ts'

/** @param at the time of the attempt, which is signed, so that receivers can reject old requests */
export function headersOf(
  app: App,
  hook: Pick<Hook, 'token' | 'signing_token' | 'custom_headers' | 'url_variables' | 'is_status_check'>,
  { uuid, event }: { uuid: string; event: string },
  body: Buffer,
  at: Date,
): Record<string, string> {
  const token = hook.token === null ? null : app.secrets.unseal(hook.token, 'hooks.token')
  return {
    ...valuesOf(app, hook, 'custom_headers'),
    'content-type': 'application/json',
    'user-agent': `Gitstead/${programVersion}`,
    'x-gitlab-event': event,
    'x-gitlab-instance': app.config.url,
    'x-gitlab-event-uuid': uuid,
    'x-gitstead-delivery': uuid,
    'idempotency-key': uuid,
    ...(token !== null && proofOf(token, hook, body)),
    ...signature(app, hook, uuid, body, at),
  }
}

/** The secret itself for a webhook; a status check gets what it is sent signed with it. */
function proofOf(token: string, { is_status_check }: Pick<Hook, 'is_status_check'>, body: Buffer): Record<string, string> {
  return is_status_check ? { 'x-gitlab-signature': createHmac('sha256', token).update(body).digest('hex') } : { 'x-gitlab-token': token }
}

function signature(app: App, { signing_token }: Pick<Hook, 'signing_token'>, uuid: string, body: Buffer, at: Date): Record<string, string> {
  const key = signing_token === null ? null : signingKey(app.secrets.unseal(signing_token, 'hooks.signing_token'))
  if (!key) return {}
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signed = createHmac('sha256', key).update(`${uuid}.${timestamp}.`).update(body).digest('base64')
  return { 'webhook-id': uuid, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signed}` }
}
