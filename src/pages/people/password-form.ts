/** The form that changes the user's own password, and its action. */

import { Type } from 'typebox'
import { signInByPassword } from '../../access/users.ts'
import type { User } from '../../db/tables.ts'
import { invalid } from '../../failure.ts'
import { changeUser } from '../../features/people/users/users.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import type { Typed, Visit } from '../frame/declaration.ts'
import { field, form } from '../frame/forms.ts'

const text = Type.String({ default: '' })

export const passwordFields = { current_password: text, password: text, password_confirmation: text }

/** Throws 400 for a wrong or invalid password. Ends all other sessions, as somebody may know the old password. */
export async function setOwnPassword(
  { app, ip, user, session_digest }: Pick<Visit, 'app' | 'ip' | 'session_digest'> & { user: User },
  { current_password, password, password_confirmation }: Record<keyof typeof passwordFields, string>,
): Promise<void> {
  const right = await signInByPassword(app.db, user.username, current_password, ip)
  if (right?.id !== user.id) throw invalid(t`The current password is wrong.`)
  if (password !== password_confirmation) throw invalid(t`The new passwords do not match.`)
  if (password === current_password) throw invalid(t`The new password must differ from the current one.`)
  await changeUser(app, user.id, { password, ...(session_digest !== null && { session: session_digest }) })
}

export function passwordForm({ action, token }: { action: string; token: Html }, typed: Typed): Html {
  return form(
    { action, token, submit: t`Change password` },
    html`
      ${field(t`Current password`, 'current_password', typed, { type: 'password', autocomplete: 'current-password', required: true })}
      ${field(t`New password`, 'password', typed, { type: 'password', autocomplete: 'new-password', minlength: 8, required: true })}
      ${field(t`Confirm new password`, 'password_confirmation', typed, { type: 'password', autocomplete: 'new-password', required: true })}
    `,
  )
}
