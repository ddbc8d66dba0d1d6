/** A message for one recipient: the content for all, the reason why they get it, and how to unsubscribe. */
import type { App } from '../../../app.ts'
import type { Mail, MailContent } from '../../../db/tables.ts'
import { Html, html } from '../../../html/untranslated.ts'
import type { Message } from '../../../mail/mailer.ts'
import { appearanceOf } from '../../storage/appearance/appearance.ts'
import { replyAddress } from './reply-address.ts'
import { unsealToken } from './sealed-token.ts'
import { unsubscribeAddresses } from './unsubscribe-address.ts'

const reasons = {
  assigned: 'You get this because it was assigned to you, or was before.',
  mentioned: 'You get this because you were mentioned.',
  own_activity: 'You get this because you asked to hear of what you do yourself.',
}

const replying = 'Reply to this message to comment.'

export function messageOf(app: App, mail: Mail, content: MailContent): Message {
  const { from_name, subject, message_id, in_reply_to } = content
  const { text, html, headers } =
    content.sealed_token === null ? withFooter(app, mail, content) : withLink(app, content, content.sealed_token)
  const own = JSON.parse(content.headers) as Record<string, string>
  return { to: mail.address, from_name, subject, text, html, message_id, in_reply_to, headers: { ...own, ...headers } }
}

type Body = Pick<Message, 'text' | 'html' | 'headers'>

/** The link is the purpose of the message. Its token is not in any database. */
function withLink(app: App, { subject, text, html: prose, url }: MailContent, sealed_token: string): Body {
  const link = `${url}${unsealToken(app, sealed_token)}`
  return {
    text: textOf(app, `${text}\n\n${link}\n`),
    html: documentOf(app, subject, html`${new Html(prose)}<p><a href="${link}">${link}</a></p>`),
    headers: {},
  }
}

function withFooter(app: App, mail: Mail, content: MailContent): Body {
  const { issue_id, merge_request_id, url } = content
  const canUnsubscribe = issue_id !== null || merge_request_id !== null
  const unsubscribe = canUnsubscribe ? unsubscribeAddresses(app, { user_id: mail.user_id, issue_id, merge_request_id }) : null
  const why = mail.reason === null ? null : reasons[mail.reason]
  const settings = `${app.config.url}/profile/notifications`
  const reply_to = content.thread === null ? null : replyAddress(app, mail.user_id, content.thread)
  const lines = [why, reply_to && replying, url, unsubscribe && `Unsubscribe: ${unsubscribe.page}`, `Settings: ${settings}`]
  return {
    text: textOf(app, `${content.text}\n\n-- \n${lines.filter(Boolean).join('\n')}\n`),
    html: documentOf(
      app,
      content.subject,
      html`
${new Html(content.html)}
<hr>
<p style="font-size: small">
${why !== null && html`${why}<br>`}${reply_to !== null && html`${replying}<br>`}
<a href="${url}">Open it</a>
${unsubscribe !== null && html`· <a href="${unsubscribe.page}">Unsubscribe</a>`}
· <a href="${settings}">Settings</a>
</p>`,
    ),
    headers: {
      ...(reply_to !== null && { 'Reply-To': reply_to }),
      ...(mail.reason !== null && { 'X-GitLab-NotificationReason': mail.reason }),
      ...(unsubscribe !== null && {
        'List-Unsubscribe': `<${unsubscribe.one_click}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

/** The text of a message, between the messages of the instance if they are in mail. */
export function textOf(app: App, text: string): string {
  const { header, footer, isInMail } = appearanceOf(app)
  if (!isInMail) return text
  return `${header ? `${header.markdown}\n\n` : ''}${text}${footer ? `\n${footer.markdown}\n` : ''}`
}

/** The HTML of a message, in the same way. */
export function documentOf(app: App, title: string, body: Html): string {
  const { header, footer, isInMail } = appearanceOf(app)
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
${isInMail && header && html`${header.html}<hr>`}${body}${isInMail && footer && html`<hr>${footer.html}`}
</body>
</html>`.text
}
