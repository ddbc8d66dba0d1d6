/**
 * Sends the mail of an integration: once to each recipient, however often the delivery is retried. If the process dies while sending, some
 * may get it twice, with the same Message-ID.
 */
import { createHash } from 'node:crypto'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { invalid } from '../../../failure.ts'
import type { Outcome } from '../../../mail/mailer.ts'
import type { Posted } from '../../../outgoing/post.ts'
import type { MailCall } from '../kinds/kinds.ts'

/** As many as the mailer has connections. */
const atOnce = 4
/** Shorter than a claim of a hook: remaining mail is sent by the next attempt. */
const patience_ms = 20_000

/** The result for each address. */
export type Progress = Record<string, string>

const done = ['sent', 'unknown'] satisfies Outcome['kind'][]

/**
 * @param earlier the progress of earlier attempts
 * @returns in the form of an HTTP answer: its headers contain the progress, its body is for people. Throws if this server sends no mail.
 */
export async function sendMail(app: App, { uuid }: { uuid: string }, wanted: MailCall, earlier: Progress): Promise<Posted> {
  if (app.mailer === null) throw invalid('This server sends no mail: GITSTEAD_SMTP_URL is not set')
  const { mailer, config } = app
  const { recipients, from_user_id, ...content } = wanted
  const from = await ownAddress(app, from_user_id)
  const progress: Progress = {}
  const waiting = recipients.values()
  const until = Date.now() + patience_ms
  const sendOneByOne = async () => {
    for (const to of waiting) {
      const before = earlier[to] ?? ''
      if (done.some((kind) => before.startsWith(kind))) progress[to] = before
      else if (Date.now() > until) progress[to] = 'deferred: there were too many at once'
      else
        progress[to] = told(await mailer.send({ ...content, to, message_id: idOf(uuid, to, config.hostname), in_reply_to: null, ...from }))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendOneByOne))
  const body = recipients.map((to) => `${to}: ${progress[to]}`).join('\n')
  return { status: statusOf(Object.values(progress)), headers: progress, body }
}

function told(outcome: Outcome): string {
  return outcome.kind === 'sent' ? 'sent' : `${outcome.kind}: ${outcome.error}`
}

/** 503 is retried for a week, 422 a few times. */
function statusOf(outcomes: readonly string[]): number {
  if (outcomes.some((outcome) => outcome.startsWith('deferred'))) return 503
  return outcomes.every((outcome) => outcome.startsWith('refused')) ? 422 : 200
}

/** Mail with a sender of another domain would be treated as forged, so it comes from the address of the server. */
async function ownAddress({ db, config }: App, user_id: number | null): Promise<{ from?: string }> {
  const user = user_id === null ? null : await userById(db, user_id)
  const domain = user?.email.slice(user.email.lastIndexOf('@') + 1).toLowerCase()
  const { hostname } = config
  return user && domain && (hostname === domain || hostname.endsWith(`.${domain}`)) && domain.includes('.') ? { from: user.email } : {}
}

/** Retries reuse the id, so that recipients' servers can recognize duplicates. */
function idOf(uuid: string, to: string, hostname: string): string {
  const who = createHash('sha256').update(to).digest('hex').slice(0, 16)
  return `delivery_${uuid}_${who}@${hostname}`
}
