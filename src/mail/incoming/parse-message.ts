/** Parses a message as far as a reply to mail needs it: who sent what to whom. */
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser'
import { textOfHtml } from './html-text.ts'
import { trimReply } from './trim-reply.ts'

export interface ReceivedFile {
  filename: string
  bytes: Uint8Array
}

export interface ReceivedMessage {
  /** With its angle brackets, as it was sent. */
  message_id: string | null
  /** The address of the sender, in lower case; null if there isn't exactly one. */
  from: string | null
  subject: string
  /** All addresses it was sent to, in lower case. */
  recipients: string[]
  /** Whether a program has sent it: a notice of absence, a report of a failed delivery, mail to a list. */
  isAutomatic: boolean
  /** The sender's own text, without quotes and signatures. */
  text: string
  files: ReceivedFile[]
}

const maxFiles = 50
/** The longest line of a message (RFC 5322): a longer id is none. */
const maxMessageId_chars = 998
/** Signatures of messages are not files of their senders. */
const signatures = /^application\/(x-)?(pkcs7|pgp)-signature$/

export async function parseMessage(raw: Buffer): Promise<ReceivedMessage> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true }
  const mail = await simpleParser(raw, options)
  const senders = addressesIn(mail.from)
  return {
    message_id: mail.messageId !== undefined && mail.messageId.length <= maxMessageId_chars ? mail.messageId : null,
    from: senders.length === 1 ? (senders[0] ?? null) : null,
    subject: mail.subject ?? '',
    recipients: [...addressesIn(mail.to), ...addressesIn(mail.cc), ...deliveredTo(mail)],
    isAutomatic: isAutomatic(mail, senders),
    text: writtenIn(mail),
    files: mail.attachments
      .filter(({ filename, contentType }) => filename !== undefined && !signatures.test(contentType))
      .slice(0, maxFiles)
      .map(({ filename = '', content }) => ({ filename, bytes: content })),
  }
}

function writtenIn({ text, html }: ParsedMail): string {
  const plain = text !== undefined && text.trim() !== '' ? text : html ? textOfHtml(html) : ''
  // No text in the database contains NUL.
  return trimReply(plain.replaceAll('\0', ''))
}

function addressesIn(field: AddressObject | AddressObject[] | undefined): string[] {
  const entries = [field ?? []].flat().flatMap(({ value }) => value)
  return entries
    .flatMap(({ address, group = [] }) => [address, ...group.map((one) => one.address)])
    .flatMap((one) => one?.toLowerCase() ?? [])
}

/** Servers tell here to which address they have delivered what was sent to another, or to many. */
function deliveredTo(mail: ParsedMail): string[] {
  return ['delivered-to', 'x-original-to', 'envelope-to'].flatMap((name) =>
    headersOf(mail, name).map((text) => text.replace(/^.*<|>.*$/g, '').toLowerCase()),
  )
}

/** RFC 3834, and what programs did before it. Replying to one of these could go on for ever. */
function isAutomatic(mail: ParsedMail, senders: string[]): boolean {
  const value = (name: string) => headersOf(mail, name).join(' ').toLowerCase()
  return (
    !/^(no)?$/.test(value('auto-submitted')) ||
    /^(bulk|junk|list|auto_reply)$/.test(value('precedence')) ||
    ['x-autoreply', 'x-autorespond', 'x-failed-recipients'].some((name) => headersOf(mail, name).length > 0) ||
    value('return-path') === '<>' ||
    /^multipart\/report\b/.test(value('content-type')) ||
    senders.length === 0 ||
    senders.some((sender) => /^(mailer-daemon|postmaster)@/.test(sender))
  )
}

/** The values of a header, as they were sent; one that is there several times has several. */
function headersOf({ headerLines }: ParsedMail, name: string): string[] {
  return headerLines.flatMap(({ key, line }) =>
    key === name
      ? line
          .slice(name.length + 1)
          .replace(/\s+/g, ' ')
          .trim()
      : [],
  )
}
