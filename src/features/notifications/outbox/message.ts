/** A message as one recipient gets it: what all read, why they do, and how they unsubscribe. */
import type { App } from '../../../app.ts'
import type { Mail, MailContent } from '../../../db/tables.ts'
import { Html, html } from '../../../html/html.ts'
import type { Message } from '../../../mail/mailer.ts'
import { unsubscribeAddresses } from './unsubscribe-address.ts'

const reasons = {
  assigned: 'You get this because it was assigned to you, or was before.',
  mentioned: 'You get this because you were mentioned.',
  own_activity: 'You get this because you asked to hear of what you do yourself.',
}

export function messageOf(app: App, mail: Mail, content: MailContent): Message {
  const canUnsubscribe = content.issue_id !== null || content.merge_request_id !== null
  const { issue_id, merge_request_id } = content
  const unsubscribe = canUnsubscribe ? unsubscribeAddresses(app, { user_id: mail.user_id, issue_id, merge_request_id }) : null
  const why = mail.reason === null ? null : reasons[mail.reason]
  const settings = `${app.config.url}/profile/notifications`
  return {
    to: mail.address,
    from_name: content.from_name,
    subject: content.subject,
    text: `${content.text}\n\n-- \n${[why, content.url, unsubscribe && `Unsubscribe: ${unsubscribe.page}`, `Settings: ${settings}`].filter(Boolean).join('\n')}\n`,
    html: html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${content.subject}</title></head>
<body>
${new Html(content.html)}
<hr>
<p style="font-size: small">
${why !== null && html`${why}<br>`}
<a href="${content.url}">Open it</a>
${unsubscribe !== null && html`· <a href="${unsubscribe.page}">Unsubscribe</a>`}
· <a href="${settings}">Settings</a>
</p>
</body>
</html>`.text,
    message_id: content.message_id,
    in_reply_to: content.in_reply_to,
    headers: {
      ...JSON.parse(content.headers),
      ...(mail.reason !== null && { 'X-GitLab-NotificationReason': mail.reason }),
      ...(unsubscribe !== null && {
        'List-Unsubscribe': `<${unsubscribe.one_click}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}
