/** Asks once more who it is, before what a stolen session must not do: the password, or a code of the second factor. */
import { signInByPassword } from '../../access/users.ts'
import type { User } from '../../db/tables.ts'
import { invalid } from '../../failure.ts'
import { isFactorCode, showsFactor } from '../../features/people/second-factor/second-factor.ts'
import type { Html } from '../../html/html.ts'
import type { Typed, Visit } from './declaration.ts'
import { type FieldOptions, field } from './forms.ts'

type Asked = Pick<Visit, 'app' | 'ip' | 'signed_in_at'> & { user: User }

interface Asking {
  /** Even of who has just signed in. */
  always?: boolean
  /** The name of the field. */
  name?: string
}

/** Whoever has signed in within this time has just shown who they are. */
const fresh_ms = 60 * 60_000

/** Whether the form has to ask. */
export function needsProof({ signed_in_at, user }: Omit<Asked, 'app' | 'ip'>, { always = false }: Asking = {}): boolean {
  // Who signs in through others, and has no factor here, has nothing to show.
  if (user.password_hash === null && !user.two_factor_enabled) return false
  return always || signed_in_at === null || Date.parse(signed_in_at) + fresh_ms <= Date.now()
}

/** The field of the form, where it has to ask. @param typed what is wrong with it */
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
    ...(two_factor_enabled && password_hash !== null && { hint: 'Or a code of your authenticator app, or a recovery code.' }),
  }
  return field(password_hash === null ? 'A code of your second factor' : 'Your password', name, typed, options)
}

/**
 * Throws 400 unless this is the password of the caller, or a code of theirs that was never used, wherever it has to be asked for. Throws
 * 429 after too many wrong ones.
 */
export async function assertProved(
  { app, ip, user, signed_in_at }: Asked,
  proof: string,
  { always, name = 'proof' }: Asking = {},
): Promise<void> {
  if (!needsProof({ user, signed_in_at }, { always: always ?? false })) return
  if (user.two_factor_enabled && isFactorCode(proof) && (await showsFactor(app, { user, code: proof, address: ip }))) return
  if (user.password_hash === null || (await signInByPassword(app.db, user.username, proof, ip))?.id !== user.id)
    throw invalid({ [name]: ['is wrong'] })
}
