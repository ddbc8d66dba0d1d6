/** Tags that name the kind and the state of an account. */
import type { User } from '../../../db/tables.ts'
import { stateOf } from '../../../features/people/users/users.ts'
import { type Html, html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'

const stateNames: Readonly<Record<string, string>> = translated({
  blocked: 'blocked',
  deactivated: 'deactivated',
  banned: 'banned',
  blocked_pending_approval: 'pending approval',
})

const kindNames: Readonly<Record<string, string>> = translated({ ghost: 'ghost', bot: 'bot', service_account: 'service account' })

/** In words; null of an account that is active. */
function stateName(user: Pick<User, 'state' | 'kind'>): string | null {
  const state = stateOf(user)
  if (state === 'active') return null
  return stateNames[state] ?? state
}

export function tagsOf(user: User): Html[] {
  const { admin, external, kind, private_profile } = user
  const tags = [
    admin && t`administrator`,
    stateName(user),
    external && t`external`,
    kind !== 'human' && (kindNames[kind] ?? kind.replace('_', ' ')),
    private_profile && t`private`,
  ]
  return tags.flatMap((tag) => (tag ? [html`<span class="tag">${tag}</span> `] : []))
}
