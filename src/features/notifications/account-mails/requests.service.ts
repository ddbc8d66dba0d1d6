/** Requests for mail with a link, by someone who isn't signed in: the answer is the same whether or not anyone has the address. */
import { countMailRequest } from '../../../access/passwords/rate-limit.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { assertValid } from '../../../validation.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import type { TokenPurpose } from '../../people/account-tokens/account-tokens.ts'
import { emailError, readEmail } from '../../people/users/users.ts'
import { mailLinkJob } from './links.jobs.ts'

/**
 * Does the same for every address, in the same time; everything else is left to the job. Throws 403 if no mail is sent, 400 for an invalid
 * address, and 429 for a network that asks too often.
 */
export async function requestLink(app: App, words: TokenPurpose, typed: string, ip: string): Promise<void> {
  if (app.mailer === null) throw new Failure('forbidden', 'This server sends no mail. Ask an administrator.')
  const settings = await readSettings(app.db)
  if (words === 'reset_password' && !settings.password_authentication_enabled_for_web && !settings.password_authentication_enabled_for_git)
    throw new Failure('forbidden', 'Signing in with a password is disabled.')
  const email = readEmail(typed)
  assertValid({ email: emailError(email) })
  const isWithinLimit = await countMailRequest(app.db, { network: ip, email })
  if (isWithinLimit) await enqueue(app.db, mailLinkJob, { words, typed: email })
}
