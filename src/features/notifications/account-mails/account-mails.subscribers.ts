/** Mail to users about their accounts, in the transaction of the change. Nothing is written if no mail is sent. */
import { randomUUID } from 'node:crypto'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { addressesOf } from '../../people/users/users.ts'
import { type Content, mailIn } from '../outbox/outbox.ts'
import { approvers } from './account-mails.queries.ts'
import { mailLinkJob } from './links.jobs.ts'
import { mailRejectionJob } from './rejections.jobs.ts'
import { type News, pageOfNews, wordsOfNews } from './words.ts'

/** A link to confirm the address of a new account, or to choose its first password, which confirms the address as well. */
export async function mailToNewUser(tx: Tx, { user, is_invited }: EventOf<'user_created'>, { mail }: Site): Promise<void> {
  if (mail === null || !mayAct(user) || (!is_invited && user.confirmed_at !== null)) return
  await enqueue(tx, mailLinkJob, { words: is_invited ? 'invitation' : 'confirm_email', user_id: user.id, email: user.email })
}

export async function mailToNewAddress(tx: Tx, { email }: EventOf<'email_added'>, { mail }: Site): Promise<void> {
  if (mail === null || email.confirmed_at !== null) return
  await enqueue(tx, mailLinkJob, { words: 'confirm_email', user_id: email.user_id, email: email.email })
}

export async function mailToWantedAddress(tx: Tx, { user_id, email }: EventOf<'email_change_requested'>, { mail }: Site): Promise<void> {
  if (mail !== null) await enqueue(tx, mailLinkJob, { words: 'confirm_email', user_id, email })
}

export function mailOfPassword(tx: Tx, { user_id }: EventOf<'user_password_changed'>, site: Site): Promise<void> {
  return tell(tx, user_id, { kind: 'password' }, site)
}

/** To the previous address, so that its owner learns of the change. */
export async function mailOfAddress(tx: Tx, { user, before }: EventOf<'user_email_changed'>, site: Site): Promise<void> {
  if ((await addressesOf(tx, user.id)).has(before)) await write(tx, user, before, { kind: 'email', email: user.email }, site)
}

export async function mailOfKey(tx: Tx, { key }: EventOf<'key_added'>, site: Site): Promise<void> {
  const { user_id, title, fingerprint_sha256 } = key
  if (user_id !== null) await tell(tx, user_id, { kind: 'key', title, fingerprint: `SHA256:${fingerprint_sha256}` }, site)
}

export function mailOfGpgKey(tx: Tx, { key: { user_id, fingerprint } }: EventOf<'gpg_key_added'>, site: Site): Promise<void> {
  return tell(tx, user_id, { kind: 'gpg_key', fingerprint }, site)
}

/** Not for impersonation tokens, which only administrators see. */
export async function mailOfToken(tx: Tx, { of, credential }: EventOf<'credential_created'>, site: Site): Promise<void> {
  if (credential.kind !== 'personal_access_token' || of === 'instance' || !('user_id' in of)) return
  await tell(tx, of.user_id, { kind: 'token', name: credential.name, scopes: (credential.scopes ?? []).join(' ') }, site)
}

export function mailOfSecondFactor(
  tx: Tx,
  { type, user_id }: EventOf<'second_factor_enabled' | 'second_factor_disabled'>,
  site: Site,
): Promise<void> {
  return tell(tx, user_id, { kind: 'second_factor', isOn: type === 'second_factor_enabled' }, site)
}

export function mailOfSignIn(tx: Tx, event: EventOf<'signed_in_from_new_network'>, site: Site): Promise<void> {
  const { user_id, address, browser, at } = event
  return tell(tx, user_id, { kind: 'sign_in', address, browser, at }, site)
}

/** An address that nobody has confirmed is confirmed first: that mail is all they need. */
export async function mailOfApproval(tx: Tx, { user_id, before }: EventOf<'user_unblocked'>, site: Site): Promise<void> {
  const user = before === 'blocked_pending_approval' && site.mail !== null ? await userById(tx, user_id) : null
  if (user?.confirmation_required) await enqueue(tx, mailLinkJob, { words: 'confirm_email', user_id, email: user.email })
  else if (user) await write(tx, user, user.email, { kind: 'approval' }, site)
}

export async function mailToApprovers(tx: Tx, { user }: EventOf<'user_created'>, { url, mail }: Site): Promise<void> {
  if (mail === null || user.state !== 'blocked_pending_approval') return
  const recipients = (await approvers(tx)).map((administrator) => ({ ...administrator, reason: null }))
  await mailIn(tx, contentOf({ kind: 'approval_request', of: user }, user, url), recipients)
}

export async function mailOfReport(tx: Tx, { report, user, reporter }: EventOf<'abuse_reported'>, { url, mail }: Site): Promise<void> {
  if (mail === null) return
  const recipients = (await approvers(tx)).map((administrator) => ({ ...administrator, reason: null }))
  const { category, message } = report
  await mailIn(tx, contentOf({ kind: 'abuse_report', of: user, category, message }, reporter, url), recipients)
}

export async function mailOfRejection(tx: Tx, { user }: EventOf<'sign_up_rejected'>, { mail }: Site): Promise<void> {
  if (mail !== null) await enqueue(tx, mailRejectionJob, { username: user.username, email: user.email })
}

async function tell(tx: Tx, user_id: number, news: News, site: Site): Promise<void> {
  const user = site.mail === null ? null : await userById(tx, user_id)
  if (user && user.confirmed_at !== null) await write(tx, user, user.email, news, site)
}

/** Regardless of the notification level: others may have access to the account. */
async function write(tx: Tx, user: User, email: string, news: News, { url, mail }: Site): Promise<void> {
  if (mail === null || user.kind !== 'human' || !mayAct(user)) return
  await mailIn(tx, contentOf(news, user, url), [{ id: user.id, email, notification_email: null, reason: null }])
}

function contentOf(news: News, user: User, url: string): Content {
  const key = `${news.kind}:${randomUUID()}`
  return {
    ...wordsOfNews(news, user, url),
    key,
    url: `${url}${pageOfNews[news.kind]}`,
    message_id: `${key.replace(':', '_')}@${new URL(url).hostname}`,
    in_reply_to: null,
    headers: {},
    issue_id: null,
    merge_request_id: null,
  }
}
