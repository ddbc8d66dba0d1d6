/** Buttons that change the state of an account: on the page of a user, and on the list of accounts that wait for approval. */

import type { User } from '../../../db/tables.ts'
import { isDormant, type StateAct } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { dangerous, form, postButton } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'

/** @param address of the page of the user */
export function stateActions(owner: User, address: string, token: Html): Html {
  const button = (label: string, act: StateAct) => html`<div>${postButton(label, { action: `${address}/${act}`, token })}</div>`
  const danger = (label: string, act: StateAct | 'reject', meaning: string) =>
    dangerous(
      label,
      html`<p>${meaning}</p>${form({ action: `${address}/${act}`, token, submit: `${label} user`, kind: 'danger' }, html``)}`,
    )
  const block = danger(t`Block`, 'block', sentences.blocking)
  switch (owner.state) {
    case 'blocked_pending_approval':
      return html`<p>${sentences.approving}</p>${button(t`Approve`, 'approve')}${danger(t`Reject`, 'reject', sentences.rejection)}${block}`
    case 'blocked':
      return button(t`Unblock`, 'unblock')
    case 'banned':
      return button(t`Unban`, 'unban')
    case 'deactivated':
      return html`${button(t`Activate`, 'activate')}${block}`
    case 'active': {
      const deactivate = isDormant(owner, new Date()) && danger(t`Deactivate`, 'deactivate', sentences.deactivation)
      return html`${deactivate}${block}${danger(t`Ban`, 'ban', sentences.ban)}`
    }
  }
}

/** On the row of somebody who waits. */
export function approvalButtons({ name }: User, address: string, token: Html): Html {
  const button = (verb: string, act: 'approve' | 'reject', kind: 'primary' | 'danger') =>
    postButton(html`${verb}<span class="unseen"> ${name}</span>`, { action: `${address}/${act}`, token, kind })
  return html`${button(t`Approve`, 'approve', 'primary')} ${button(t`Reject`, 'reject', 'danger')}`
}
