/** Turns replies to mail into comments: in the name of the mail's recipient, with their current rights, each reply once. */
import { createHash } from 'node:crypto'
import { mayMailTo } from '../../../access/passwords/rate-limit.ts'
import { mayAct } from '../../../access/states.ts'
import { awaitsTerms } from '../../../access/terms.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { type Fate, type IncomingMessage, maxMessage_bytes } from '../../../mail/incoming/inbox.ts'
import type { ReceivedMessage } from '../../../mail/incoming/parse-message.ts'
import { readMessage } from '../../../mail/incoming/read-message.ts'
import { enqueue } from '../../../queue/queue.ts'
import { prepareNote, writeNoteIn } from '../../commands/notes/notes.ts'
import { canDiscuss } from '../../discussion/notes/notes.ts'
import { addressesOf, holderOfAddress } from '../../people/users/users.ts'
import { attachFiles } from '../../spaces/uploads/uploads.ts'
import { readReplyAddress, type Thread, threadSeenBy } from '../outbox/outbox.ts'
import { mailRefusalJob } from './refusals.jobs.ts'
import { reasons } from './refusals.ts'
import { countAttempt, endMessage, senderById } from './replies.queries.ts'

/** A message that fails for a reason of the server is given up after so many attempts. */
const maxAttempts = 5

/** Handles one message. It may be called again with the same one: the second time nothing happens. */
export async function receiveMessage(app: App, { raw, size_bytes }: IncomingMessage): Promise<Fate> {
  const message = await readMessage(raw)
  if (message === null || message.isAutomatic || message.from === app.config.mail?.from.toLowerCase()) {
    app.log.info({ size_bytes, automatic: message !== null }, 'mail: received message ignored')
    return 'not ours'
  }
  const target = message.recipients.map((address) => readReplyAddress(app, address)).find((found) => found !== null)
  if (!target) {
    app.log.info({ size_bytes }, 'mail: received message replies to nothing')
    return 'not ours'
  }
  if (target !== 'forged' && (await isBeyondLimit(app, target.user_id))) return 'later'
  const key = keyOf(message, target, raw)
  const { state, attempts } = await countAttempt(app.db, key)
  if (state !== 'new') return 'finished'
  if (attempts > maxAttempts) {
    app.log.error({ attempts }, 'mail: received message given up')
    return 'not ours'
  }
  const refusal =
    target === 'forged' ? reasons.forged : size_bytes > maxMessage_bytes ? reasons.large : await comment(app, { ...target, message, key })
  if (refusal !== null) await refuse(app, { message, key, refusal, isReply: target !== 'forged' })
  return 'finished'
}

/** As comments on pages and over the API count; those beyond the limit wait in the mailbox. */
async function isBeyondLimit({ limits: { throttles } }: App, user_id: number): Promise<boolean> {
  const rule = throttles.rules?.notes_create
  return rule ? (await throttles.count('notes_create', String(user_id), rule.period_s)) > rule.max : false
}

/** Programs and servers deliver one message several times, each time with other headers, but with one id. */
function keyOf({ message_id }: ReceivedMessage, target: Target | 'forged', raw: Buffer): string {
  const identity = message_id === null ? raw : JSON.stringify([message_id, target])
  return createHash('sha256').update(identity).digest('base64url')
}

interface Target {
  user_id: number
  thread: Thread
}

interface Reply extends Target {
  message: ReceivedMessage
  key: string
}

/** Null if it became a comment, or did what its quick actions ask for; otherwise why it did not. */
async function comment(app: App, { user_id, thread, message, key }: Reply): Promise<string | null> {
  const author = await senderById(app.db, user_id)
  if (author?.kind !== 'human') return reasons.forged
  if (!mayAct(author)) return reasons.blocked
  if (awaitsTerms(author, author.terms_in_force)) return reasons.terms
  if (message.from === null || !(await addressesOf(app.db, author.id)).has(message.from)) return reasons.sender
  const found = await threadSeenBy(app.db, author, thread)
  if (found === null) return reasons.gone
  const { noteable, note } = found
  if (noteable.project.archived || !canDiscuss(noteable)) return reasons.locked
  if (message.text === '' && message.files.length === 0) return reasons.empty
  try {
    const links = await attachFiles(app, noteable.project, author, message.files)
    const body = [message.text, ...links].filter((part) => part !== '').join('\n\n')
    const discussion = note !== null && note.type !== null ? { id: note.discussion_id } : undefined
    const internal = note?.internal ?? false
    const prepared = await prepareNote(app, author, noteable, { body, discussion, internal })
    await inTransaction(app.db, async (tx) => {
      if (await endMessage(tx, key, 'commented')) await writeNoteIn(tx, app, author, noteable, prepared)
    })
    return null
  } catch (error) {
    return refusalOf(error)
  }
}

/** Words a failure for the sender. Rethrows faults of the server, so that the message is tried again. */
function refusalOf(error: unknown): string {
  if (!(error instanceof Failure)) throw error
  if (error.code === 'not_found') return reasons.gone
  if (error.code === 'forbidden') return reasons.locked
  if (error.code !== 'invalid' && error.code !== 'limit_reached') throw error
  return `The comment could not be created: ${sentenceOf(error.body.message)}`
}

/** The message of a failure can be errors by field. */
function sentenceOf(message: unknown): string {
  if (typeof message === 'string') return message
  const parts = typeof message === 'object' && message !== null ? Object.values(message).flat() : []
  return parts.join('. ')
}

interface Refused extends Pick<Reply, 'message' | 'key'> {
  refusal: string
  /** Whether its address was given to somebody by this server. Others may be guesses, sent in anybody's name. */
  isReply: boolean
}

/**
 * Sends at most one mail per message, and counts it against the limit of mails per address. A message that anybody may have written is
 * only answered to people of this server, and never in the words of its sender.
 */
async function refuse(app: App, { message, key, refusal, isReply }: Refused): Promise<void> {
  const { from, message_id } = message
  const isKnown = from !== null && (isReply || (await holderOfAddress(app.db, from)) !== null)
  const isTold = isKnown && (await mayMailTo(app.db, from))
  const subject = isReply ? message.subject : 'Your message'
  app.log.info({ reason: refusal, told: isTold }, 'mail: received reply refused')
  await inTransaction(app.db, async (tx) => {
    if ((await endMessage(tx, key, 'refused')) && isTold)
      await enqueue(tx, mailRefusalJob, { to: from, subject, message_id, reason: refusal })
  })
}
