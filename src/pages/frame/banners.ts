/** What stands on top of every page: whom an administrator acts as, and the messages to everybody. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { BroadcastMessage } from '../../db/tables.ts'
import { activeMessages } from '../../features/instance/broadcast-messages/broadcast-messages.ts'
import { shortCookieHeader } from '../../http/cookies.ts'
import { type Html, html } from './html.ts'
import type { PageSession } from './session.ts'

const cookie = '_service_dismissed'
const dismissedFor_s = 30 * 86_400
const maxDismissed = 50

/** The bar of an impersonation; null where nobody acts as another. */
export function impersonationBar({ session, token }: PageSession): Html | null {
  if (!session || session.impersonator === null) return null
  return html`<div class="banner acting" role="status"><p>You act as <b><bdi>${session.user.name}</bdi></b> (@${session.user.username}).</p>
<form method="post" action="/admin/impersonation/stop">${token}<button>Stop</button></form></div>`
}

/** Both kinds; the messages without those that this browser has dismissed. */
export async function bannersFor(app: App, request: FastifyRequest, pageSession: PageSession): Promise<Html> {
  const gone = dismissedIn(request)
  const shown = (await activeMessages(app.db)).filter((message) => !gone.includes(keyOf(message)))
  return html`${impersonationBar(pageSession)}${shown.map((message) => messageBar(message, pageSession.token))}`
}

/** A message; without a token it can't be dismissed, as in a preview. Its colour is a mark beside it, so that it can always be read. */
export function messageBar({ id, message, color }: Pick<BroadcastMessage, 'id' | 'message' | 'color'>, token: Html | null): Html {
  return html`<div class="banner" role="note">${color !== null && color !== '' && html`<svg aria-hidden="true" width="12" height="12"><circle cx="6" cy="6" r="6" fill="${color}"></circle></svg>`}<p>${message}</p>
${token && html`<form method="post" action="/-/broadcast_messages/dismiss">${token}<input type="hidden" name="id" value="${id}"><button>Dismiss</button></form>`}</div>`
}

/** Notes in a cookie that this browser has dismissed the message as it is now. */
export function dismiss(app: App, request: FastifyRequest, reply: FastifyReply, message: BroadcastMessage): void {
  const gone = [...new Set([...dismissedIn(request), keyOf(message)])].slice(-maxDismissed)
  void reply.header('set-cookie', shortCookieHeader(cookie, gone.join('.'), dismissedFor_s, app.config.url))
}

/** A message that is changed is shown again. */
function keyOf({ id, updated_at }: BroadcastMessage): string {
  return updated_at === null ? `${id}` : `${id}-${Date.parse(updated_at).toString(36)}`
}

function dismissedIn({ headers }: Pick<FastifyRequest, 'headers'>): string[] {
  const [, keys = ''] = /(?:^|; ?)_service_dismissed=([\w.-]{1,2000})(?:;|$)/.exec(headers.cookie ?? '') ?? []
  return keys.split('.').filter(Boolean)
}
