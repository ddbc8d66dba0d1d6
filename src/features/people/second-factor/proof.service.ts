/** Whether somebody who is signed in shows again who they are: by their password, or a code of their second factor. */
import { signInByPassword } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { isFactorCode, showsFactor } from './second-factor.service.ts'

/** Spends a code. Throws 429 after too many wrong ones. */
export async function showsProof(app: App, { user, address }: { user: User; address: string }, proof: string): Promise<boolean> {
  if (user.two_factor_enabled && isFactorCode(proof) && (await showsFactor(app, { user, code: proof, address }))) return true
  return user.password_hash !== null && (await signInByPassword(app.db, user.username, proof, address))?.id === user.id
}
