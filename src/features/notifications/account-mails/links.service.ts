/** Writes mail with links that give access to an account. The token is created with the message, and stored nowhere else. */
import { randomUUID } from 'node:crypto'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { getsLinks, issueAccountToken, type TokenPurpose } from '../../people/account-tokens/account-tokens.ts'
import { mailIn, sealToken } from '../outbox/outbox.ts'
import { isUnconfirmed, type Reader, readerAt } from './account-mails.queries.ts'
import { type LinkWords, linkPages, wordsOfLink } from './words.ts'

/** A mail to send: to an address typed by a visitor, or to an address of a known user. */
export type LinkOrder = { words: LinkWords } & ({ typed: string } | { user_id: number; email: string })

/** Writes nothing if nobody has the address, or its user may not get the link. */
export async function mailLink(app: App, order: LinkOrder): Promise<void> {
  const purpose = order.words === 'invitation' ? 'reset_password' : order.words
  const reader = 'typed' in order ? await readerAt(app.db, order.typed, purpose) : await readerOf(app.db, order, purpose)
  if (app.mailer === null || reader === null || !getsLinks(reader.user)) return
  const { user, email } = reader
  await inTransaction(app.db, async (tx) => {
    const token = await issueAccountToken(tx, { purpose, user_id: user.id, email })
    if (token === null) return app.log.warn({ user: user.id, purpose }, 'mail: link not sent, too many for one user')
    const key = `${purpose}:${randomUUID()}`
    const content = {
      ...wordsOfLink(order.words, user, email, app.config.url),
      key,
      url: `${app.config.url}${linkPages[purpose]}`,
      sealed_token: sealToken(app, token),
      message_id: `${key.replace(':', '_')}@${app.config.hostname}`,
      in_reply_to: null,
      headers: {},
      issue_id: null,
      merge_request_id: null,
    }
    await mailIn(tx, content, [{ id: user.id, email, notification_email: null, reason: null }])
  })
}

async function readerOf(db: Db, { user_id, email }: { user_id: number; email: string }, purpose: TokenPurpose): Promise<Reader | null> {
  const user = await userById(db, user_id)
  if (!user || (purpose === 'confirm_email' && !(await isUnconfirmed(db, user, email)))) return null
  return { user, email }
}
