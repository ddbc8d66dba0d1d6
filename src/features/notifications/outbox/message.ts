/** A message for one recipient: the common content, the reason they get it, and how to unsubscribe. */
import type { App } from '../../../app.ts'
import type { Mail, MailContent } from '../../../db/tables.ts'
import { Html, html } from '../../../html/html.ts'
import type { Message } from '../../../mail/mailer.ts'
import { unsealToken } from './sealed-token.ts'
import { unsubscribeAddresses } from './unsubscribe-address.ts'

const reasons = {
  assigned: 'You get this because it was assigned to you, or was before.',
  mentioned: 'You get this because you were mentioned.',
  own_activity: 'You get this because you asked to hear of what you do yourself.',
}

export function messageOf(app: App, mail: Mail, content: MailContent): Message {
  const { from_name, subject, message_id, in_reply_to } = content
  const { text, html, headers } =
    content.sealed_token === null ? withFooter(app, mail, content) : withLink(app, content, content.sealed_token)
  const own = JSON.parse(content.headers) as Record<string, string>
  return { to: mail.address, from_name, subject, text, html, message_id, in_reply_to, headers: { ...own, ...headers } }
}

type Body = Pick<Message, 'text' | 'html' | 'headers'>

/** The link is the purpose of the message. Its token is not in the database in the clear. */
function withLink(app: App, { subject, text, html: prose, url }: MailContent, sealed_token: string): Body {
  const link = `${url}${unsealToken(app, sealed_token)}`
  return {
    text: `${text}\n\n${link}\n`,
    html: documentOf(subject, html`${new Html(prose)}<p><a href="${link}">${link}</a></p>`),
    headers: {},
  }
}

function withFooter(app: App, mail: Mail, content: MailContent): Body {
  const { issue_id, merge_request_id, url } = content
  const canUnsubscribe = issue_id !== null || merge_request_id !== null
  const unsubscribe = canUnsubscribe ? unsubscribeAddresses(app, { user_id: mail.user_id, issue_id, merge_request_id }) : null
  const why = mail.reason === null ? null : reasons[mail.reason]
  const settings = `${app.config.url}/profile/notifications`
  return {
    text: `${content.text}\n\n-- \n${[why, url, unsubscribe && `Unsubscribe: ${unsubscribe.page}`, `Settings: ${settings}`].filter(Boolean).join('\n')}\n`,
    html: documentOf(
      content.subject,
      html`
${new Html(content.html)}
<hr>
<p style="font-size: small">
${why !== null && html`${why}<br>`}
<a href="${url}">Open it</a>
${unsubscribe !== null && html`· <a href="${unsubscribe.page}">Unsubscribe</a>`}
· <a href="${settings}">Settings</a>
</p>`,
    ),
    headers: {
      ...(mail.reason !== null && { 'X-GitLab-NotificationReason': mail.reason }),
      ...(unsubscribe !== null && {
        'List-Unsubscribe': `<${unsubscribe.one_click}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

function documentOf(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
${body}
</body>
</html>`.text
}
