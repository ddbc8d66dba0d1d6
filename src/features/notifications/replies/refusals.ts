/** Why a reply didn't become a comment, and the mail that tells its sender. */
import { randomUUID } from 'node:crypto'
import type { App } from '../../../app.ts'
import { html } from '../../../html/untranslated.ts'
import type { Message } from '../../../mail/mailer.ts'
import { documentOf, textOf } from '../outbox/outbox.ts'

export const reasons = {
  forged: 'We could not find what your message replies to. Please comment on the page.',
  sender:
    'Your message came from an address that is not one of your account: confirm it in your settings, or reply from one that is. Please comment on the page.',
  blocked: 'Your account cannot be used, so you cannot comment.',
  terms: 'You must accept the terms of service first: sign in to do so.',
  gone: 'What you reply to no longer exists, or you can no longer see it.',
  locked: 'You cannot comment there: the discussion is locked, or the project is archived.',
  large: 'Your message is too large. Please send less with it, or comment on the page.',
  empty: 'Your message seems to be empty, apart from what it quotes. Please write your comment above that.',
} as const

/** A mail that tells the sender of a reply why it was rejected. */
export interface Refusal {
  to: string
  /** The subject of the reply. */
  subject: string
  message_id: string | null
  reason: string
}

const maxSubject_chars = 200

/** Marked as automatic, so that no program replies to it. The reply itself isn't sent back: the address may be somebody else's. */
export function refusalMessage(app: App, { to, subject, message_id, reason }: Refusal): Message {
  const title = `[Rejected] ${subject.slice(0, maxSubject_chars)}`
  const said = 'Your reply did not become a comment.'
  return {
    to,
    from_name: 'Gitstead',
    subject: title,
    text: textOf(app, `${said}\n\n${reason}\n\n${app.config.url}\n`),
    html: documentOf(
      app,
      title,
      html`<p>${said}</p>
<p>${reason}</p>
<p><a href="${app.config.url}">${app.config.url}</a></p>`,
    ),
    message_id: `refusal_${randomUUID()}@${app.config.hostname}`,
    in_reply_to: message_id === null ? null : message_id.replace(/^<|>$/g, ''),
    headers: {},
  }
}
