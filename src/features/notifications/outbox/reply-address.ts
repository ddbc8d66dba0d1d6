/**
 * The addresses that replies to a message go to: one for each recipient and thread, with a signature in it, so that having the message
 * is what lets somebody reply. Nothing is stored for them. They are all in lower case, as some mail servers change the case of addresses.
 */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../../app.ts'

/** The place of a reply: on an issue or a merge request, or in the discussion of a note. */
export interface Thread {
  kind: 'issue' | 'merge_request' | 'note'
  id: number
}

const letters = { issue: 'i', merge_request: 'm', note: 'n' } as const satisfies Record<Thread['kind'], string>
const kinds = Object.keys(letters) as Thread['kind'][]

/** As a column. */
export function textOfThread({ kind, id }: Thread): string {
  return `${letters[kind]}${id.toString(36)}`
}

/** As `textOfThread` has written it; null for anything else. */
export function threadOfText(text: string): Thread | null {
  const [, letter, id = ''] = /^([imn])([a-z\d]{1,10})$/.exec(text) ?? []
  const kind = kinds.find((one) => letters[one] === letter)
  return kind === undefined ? null : { kind, id: Number.parseInt(id, 36) }
}

type Signing = Pick<App, 'secrets'> & { config: Pick<App['config'], 'replies'> }

/** Null if replies are not read. */
export function replyAddress(app: Signing, user_id: number, thread: string): string | null {
  if (app.config.replies === null) return null
  const { before, after } = app.config.replies.address
  const subject = `${user_id.toString(36)}-${thread}`
  return `${before}${subject}-${signature(app, subject)}${after}`
}

/** Whose reply to what this address is for; `forged` if it only looks like one of ours, null if it doesn't. */
export function readReplyAddress(app: Signing, address: string): { user_id: number; thread: Thread } | 'forged' | null {
  if (app.config.replies === null) return null
  const { before, after } = app.config.replies.address
  if (!address.startsWith(before) || !address.endsWith(after)) return null
  const key = address.slice(before.length, address.length - after.length)
  const [, subject = '', user = '', written = '', sent = ''] = /^(([a-z\d]{1,10})-([imn][a-z\d]{1,10}))-([\da-f]{24})$/.exec(key) ?? []
  const thread = threadOfText(written)
  if (thread === null) return null
  if (!timingSafeEqual(Buffer.from(sent), Buffer.from(signature(app, subject)))) return 'forged'
  return { user_id: Number.parseInt(user, 36), thread }
}

/** 96 bits, in 24 characters: the part of an address before the @ has at most 64. */
function signature({ secrets }: Signing, subject: string): string {
  return Buffer.from(secrets.sign(subject, 'reply address'), 'base64url').toString('hex').slice(0, 24)
}
