/** The banners on top of every page: impersonation, and broadcast messages. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { BroadcastMessage } from '../../db/tables.ts'
import { activeMessages } from '../../features/instance/broadcast-messages/broadcast-messages.ts'
import { type Html, html } from '../../html/html.ts'
import type { PageSession } from './session.ts'
import { proseOf } from './texts.ts'

/** The cookie with the messages that this browser has dismissed. */
export const dismissedCookie = '_service_dismissed'

const maxDismissed = 50

/** The banner of an impersonation; null if there is none. */
export function impersonationBar({ session, token }: PageSession): Html | null {
  if (!session || session.impersonator === null) return null
  return html`
    <div class="banner acting" role="status">
      <p>You act as <b><bdi>${session.user.name}</bdi></b> (@${session.user.username}).</p>
      <form method="post" action="/admin/impersonation/stop">${token}<button>Stop</button></form>
    </div>
  `
}

/** Both kinds of banners, without messages that this browser has dismissed. */
export async function bannersFor(app: App, request: FastifyRequest, pageSession: PageSession & { address: string }): Promise<Html> {
  const gone = dismissedIn(request)
  const shown = (await activeMessages(app.db)).filter((message) => !gone.includes(keyOf(message)))
  const { token, address } = pageSession
  const bars = await Promise.all(shown.map((message) => messageBar(message, { token, gone: [...gone, keyOf(message)], address })))
  return html`${impersonationBar(pageSession)}${bars}`
}

interface Dismissal {
  token: Html
  /** The keys of dismissed messages afterwards. */
  gone: string[]
  /** URL of the page to return to. */
  address: string
}

/**
 * A message, in Markdown. Its color is a mark beside it, so that it is always readable. If nothing can be rendered now, its source is
 * shown: the message may be about just that.
 * @param dismissal null if it can't be dismissed, as in a preview
 */
export async function messageBar(
  { message, color }: Pick<BroadcastMessage, 'message' | 'color'>,
  dismissal: Dismissal | null,
): Promise<Html> {
  const words = await proseOf(message).catch(() => html`<p>${message}</p>`)
  const mark =
    color !== null &&
    color !== '' &&
    html`<svg aria-hidden="true" width="12" height="12"><circle cx="6" cy="6" r="6" fill="${color}"></circle></svg>`
  return html`
    <div class="banner" role="note">
      ${mark}
      <div class="words">${words}</div>
      ${
        dismissal &&
        html`
          <form method="post" action="/-/broadcast_messages/dismiss">
            ${dismissal.token}<input type="hidden" name="gone" value="${dismissal.gone.slice(-maxDismissed).join('.')}">
            <input type="hidden" name="return_to" value="${dismissal.address}"><button>Dismiss</button>
          </form>
        `
      }
    </div>
  `
}

/** The dismissed keys in a submitted form. */
export function dismissedKeys(sent: string): string {
  return sent.split('.').filter(isKey).slice(-maxDismissed).join('.')
}

/** A message is shown again after it has been changed. */
function keyOf({ id, updated_at }: BroadcastMessage): string {
  return updated_at === null ? `${id}` : `${id}-${Date.parse(updated_at).toString(36)}`
}

function isKey(text: string): boolean {
  return /^\d{1,16}(-[0-9a-z]{1,12})?$/.test(text)
}

function dismissedIn({ headers }: Pick<FastifyRequest, 'headers'>): string[] {
  const [, keys = ''] = /(?:^|; ?)_service_dismissed=([\w.-]{1,2000})(?:;|$)/.exec(headers.cookie ?? '') ?? []
  return keys.split('.').filter(isKey)
}
