/** Invitations on the page of members: the form that sends one, and those that are open. */

import type { SentInvitation } from '../../features/spaces/invitations/invitations.ts'
import { type Html, html } from '../../html/html.ts'
import { ago, day } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import type { Typed } from '../frame/declaration.ts'
import { field, form, postButton, problemsOf, select } from '../frame/forms.ts'
import { roleName } from '../frame/levels.ts'
import { icon, isolated } from '../frame/parts.ts'
import type { MembersPage } from './member-list.ts'
import { expiryHint, inviteHint, roleChoices, roleHint } from './sentences.ts'

export function invitationForm({ place, address, token }: MembersPage, typed: Typed): Html {
  const id = 'invite-'
  const content = html`
    ${field(t`Email address`, 'email', typed, { type: 'email', required: true, hint: inviteHint(), id, autocomplete: 'off' })}
    ${select(t`Role`, 'access_level', typed, roleChoices(place.kind), { value: '30', hint: roleHint(), id })}
    ${field(t`Until`, 'expires_at', typed, { type: 'date', hint: expiryHint(), id })}
  `
  return html`
    ${problemsOf(typed.errors, ['email', 'access_level', 'expires_at'])}
    ${form({ action: `${address}/invitations`, token, submit: t`Invite` }, content)}
  `
}

export function invitationRows({ app, address, token }: MembersPage, invitations: readonly SentInvitation[]): Html {
  return html`
    <ul class="rows people">
      ${invitations.map(({ email, access_level, expires_at, created_at, created_by_name }) => {
        const fields = { email }
        const again = html`Send again<span class="unseen"> to ${email}</span>`
        const withdraw = html`Withdraw<span class="unseen"> the invitation of ${email}</span>`
        return html`
          <li>
            ${icon('user')}
            <div class="what">
              ${isolated(email)}
              <p>
                Invited ${ago(created_at)}${created_by_name !== null && html` by ${isolated(created_by_name)}`}${
                  expires_at !== null && html`, until ${day(expires_at)}`
                }
              </p>
            </div>
            <div class="facts"><b>${roleName(access_level)}</b></div>
            ${app.mailer !== null && postButton(again, { action: `${address}/invitations/send`, token, fields })}
            ${postButton(withdraw, { action: `${address}/invitations/withdraw`, token, kind: 'danger', fields })}
          </li>
        `
      })}
    </ul>
  `
}
