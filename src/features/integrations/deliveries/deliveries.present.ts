/** A delivery in the log, without the secrets that were sent. */
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { valuesOf, withoutPassword } from '../hooks/hooks.ts'
import type { HookEvent } from './deliveries.schema.ts'
import type { LoggedDelivery } from './log.queries.ts'
import { headersOf } from './request.ts'

const blanked = ['x-gitlab-token', 'webhook-signature']

export function presentDelivery(app: App, hook: Hook, delivery: LoggedDelivery): Presented<typeof HookEvent> {
  const { body, response_headers, response_status, duration_ms } = delivery
  return {
    id: delivery.id,
    uuid: delivery.uuid,
    // An integration determines its own URLs, some of which are secret.
    url: hook.integration_id === null ? withoutPassword(app.secrets.unseal(hook.url, 'hooks.url')) : '',
    trigger: delivery.event,
    state: delivery.state,
    attempts: delivery.attempts,
    request_headers: hook.integration_id === null ? shownHeaders(app, hook, delivery) : {},
    request_data: body === null ? null : JSON.parse(body),
    response_headers: response_headers === null ? {} : JSON.parse(response_headers),
    response_body: delivery.response_body,
    response_status: response_status === null ? (delivery.error === null ? null : 'internal error') : String(response_status),
    execution_duration: duration_ms === null ? null : duration_ms / 1_000,
    internal_error_message: delivery.error,
    due_at: delivery.state === 'waiting' ? delivery.due_at : null,
    created_at: delivery.created_at,
    attempted_at: delivery.attempted_at,
  }
}

function shownHeaders(app: App, hook: Hook, delivery: LoggedDelivery): Record<string, string> {
  const headers = headersOf(app, hook, delivery, Buffer.from(delivery.body ?? ''), new Date(delivery.attempted_at ?? delivery.created_at))
  const secret = [...blanked, ...Object.keys(valuesOf(app, hook, 'custom_headers'))]
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secret.includes(name) ? '*****' : value]))
}
