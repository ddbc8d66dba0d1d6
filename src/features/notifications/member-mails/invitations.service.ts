/** Writes mail to whoever is invited: to an address that no account here has, so it can't go by the outbox, which is for users. */
import { randomUUID } from 'node:crypto'
import { roleOf } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { html } from '../../../html/untranslated.ts'
import { unlinked } from '../../../text/unlinked.ts'
import { invitationById, lifeOfInvitation_days, openToken, pathOfInvitation, sealedTokenOf } from '../../spaces/invitations/invitations.ts'
import { documentOf, textOf } from '../outbox/outbox.ts'

/** Nothing is sent where it was withdrawn meanwhile. */
export async function mailInvitation(app: App, { invitation_id }: { invitation_id: number }): Promise<void> {
  const invitation = await invitationById(app.db, invitation_id)
  const sealed = await sealedTokenOf(app.db, invitation_id)
  if (app.mailer === null || invitation === null || sealed === null) return
  const path = unlinked(await pathOfInvitation(app.db, invitation))
  const kind = invitation.project_id === null ? 'group' : 'project'
  // Anybody can invite anybody, by any name.
  const by = unlinked(invitation.created_by_name ?? 'Somebody')
  const subject = `Invitation to ${path}`
  const link = `${app.config.url}/-/invites/${openToken(app, sealed)}`
  const paragraphs = [
    `${by} invites you to the ${kind} ${path} at ${app.config.url}, as ${roleOf(invitation.access_level)}.`,
    `Open the link to accept or decline, within ${lifeOfInvitation_days} days. It asks you to sign in, or to create an account, first.`,
  ]
  const outcome = await app.mailer.send({
    to: invitation.email,
    from_name: by,
    subject,
    text: textOf(app, `${paragraphs.join('\n\n')}\n\n${link}\n`),
    html: documentOf(app, subject, html`${paragraphs.map((words) => html`<p>${words}</p>`)}<p><a href="${link}">${link}</a></p>`),
    message_id: `invitation_${randomUUID()}@${app.config.hostname}`,
    in_reply_to: null,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  if (outcome.kind === 'deferred') throw new Error(`mail: invitation not sent yet: ${outcome.error}`)
  if (outcome.kind !== 'sent')
    app.log.warn({ invitation: invitation_id, outcome: outcome.kind, error: outcome.error }, 'mail: invitation not sent')
}
