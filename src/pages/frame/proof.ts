/**
 * Asks users to confirm who they are before actions that a stolen session must not allow, by the password or a code of the second factor.
 */

import type { User } from '../../db/tables.ts'
import { invalid } from '../../failure.ts'
import { showsProof } from '../../features/people/second-factor/second-factor.ts'
import type { Html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import type { Typed, Visit } from './declaration.ts'
import { type FieldOptions, field } from './forms.ts'

type Asked = Pick<Visit, 'app' | 'ip' | 'signed_in_at'> & { user: User }

interface Asking {
  /** Whether to ask even users who have just signed in. */
  always?: boolean
  /** The name of the field. */
  name?: string
}

/** Users who signed in within this time need not confirm it again. */
const fresh_ms = 60 * 60_000

/** Whether the form has to ask. */
export function needsProof({ signed_in_at, user }: Omit<Asked, 'app' | 'ip'>, { always = false }: Asking = {}): boolean {
  // Users who sign in through a provider, and have no second factor here, have nothing to confirm it with.
  if (user.password_hash === null && !user.two_factor_enabled) return false
  return always || signed_in_at === null || Date.parse(signed_in_at) + fresh_ms <= Date.now()
}

/**
 * The field of the form, if it has to ask.
 * @param typed its errors
 */
export function proofField(
  visit: Omit<Asked, 'app' | 'ip'>,
  typed: Typed,
  { name = 'proof', ...asking }: Asking & Pick<FieldOptions, 'id'> = {},
): Html | null {
  if (!needsProof(visit, asking)) return null
  const { two_factor_enabled, password_hash } = visit.user
  const options: FieldOptions = {
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    id: asking.id,
    ...(two_factor_enabled && password_hash !== null && { hint: t`Or a code of your authenticator app, or a recovery code.` }),
  }
  return field(password_hash === null ? t`A code of your second factor` : t`Your password`, name, typed, options)
}

/**
 * Throws 400 unless this is the caller's password, or an unused code of their second factor, if confirmation is needed. Throws 429 after
 * too many wrong ones.
 */
export async function assertProved(
  { app, ip, user, signed_in_at }: Asked,
  proof: string,
  { always, name = 'proof' }: Asking = {},
): Promise<void> {
  if (!needsProof({ user, signed_in_at }, { always: always ?? false })) return
  if (!(await showsProof(app, { user, address: ip }, proof))) throw invalid({ [name]: [t`is wrong`] })
}
