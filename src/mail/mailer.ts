/** Hands messages to the configured SMTP server. */
import { Readable } from 'node:stream'
import type { MailConfig } from './settings.ts'

export interface Message {
  to: string
  /** The display name of the sender: whoever caused the message. */
  from_name: string
  /** The sender address, if it is not the configured one. Servers report failures to the configured one in any case. */
  from?: string
  subject: string
  text: string
  html: string
  /** Without angle brackets: `issue_12@git.example.com`. */
  message_id: string
  /** The first message of the thread; null if this is the first. */
  in_reply_to: string | null
  /** Further headers. Line breaks in their values are replaced by spaces. */
  headers: Record<string, string>
}

export type Outcome =
  | { kind: 'sent' }
  /** The server will never accept it: the address or the message is wrong. */
  | { kind: 'refused'; error: string }
  /** Nothing was sent, so it may be retried. */
  | { kind: 'deferred'; error: string }
  /** The connection ended after the message was sent and before the answer came: it may or may not have been delivered. */
  | { kind: 'unknown'; error: string }

export interface Mailer {
  /** Never throws. */
  send: (message: Message) => Promise<Outcome>
  /** Ends idle connections, and the others after their message. */
  close: () => void
}

const connections = 4

/**
 * The library is loaded with the first message.
 * @param patience_ms the timeout of connecting, and of inactivity
 */
export function openMailer(config: MailConfig, patience_ms = 30_000): Mailer {
  let transport: ReturnType<typeof openTransport> | null = null
  return {
    async send(message) {
      transport ??= openTransport(config, patience_ms)
      const progress: Progress = { isGiven: false }
      try {
        const options = { ...envelopeOf(message, config.from), progress }
        await (await transport).sendMail(options)
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error as SmtpError, progress)
      }
    },
    close: () => void transport?.then((opened) => opened.close()),
  }
}

interface Progress {
  /** Whether the connection has received all of the message. */
  isGiven: boolean
}

async function openTransport({ smtp_url }: MailConfig, patience_ms: number) {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(
    {
      url: smtp_url,
      pool: true,
      maxConnections: connections,
      // A message whose connection ended may have been delivered, so the caller decides whether to retry.
      maxRequeues: 0,
      connectionTimeout: patience_ms,
      greetingTimeout: patience_ms,
      socketTimeout: patience_ms,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // Prevents automatic answers such as vacation notices: two machines could answer each other forever.
    { headers: { 'Auto-Submitted': 'auto-generated', Precedence: 'bulk', 'X-Auto-Response-Suppress': 'All' } },
  )
  // The library doesn't tell whether a connection ended before or after the message was sent.
  transport.use('stream', ({ message, data }, next) => {
    message.processFunc((content) => Readable.from(watched(content, (data as { progress: Progress }).progress), { objectMode: false }))
    next()
  })
  return transport
}

/** Read only when the server has asked for the message. */
async function* watched(content: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  yield* content
  progress.isGiven = true
}

function envelopeOf({ from_name, from: sender, to, subject, text, html, message_id, in_reply_to, headers }: Message, from: string) {
  return {
    from: { name: oneLine(from_name), address: sender ?? from },
    ...(sender !== undefined && { envelope: { from, to } }),
    to: { name: '', address: to },
    subject: oneLine(subject),
    text,
    html,
    messageId: `<${message_id}>`,
    ...(in_reply_to !== null && { inReplyTo: `<${in_reply_to}>`, references: `<${in_reply_to}>` }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value)])),
  }
}

/** The error that nodemailer throws. */
interface SmtpError extends Error {
  /** Code of the server's answer, if there was one: `550`. */
  responseCode?: number
  response?: string
  /** The last command sent: `RCPT TO`, `DATA`. */
  command?: string
}

function outcomeOf({ message, response, responseCode, command }: SmtpError, { isGiven }: Progress): Outcome {
  const error = oneLine(response ?? message).slice(0, 500)
  if (responseCode !== undefined && responseCode >= 500)
    return isOfAccount(command) ? { kind: 'deferred', error } : { kind: 'refused', error }
  return isGiven && responseCode === undefined ? { kind: 'unknown', error } : { kind: 'deferred', error }
}

/** A rejected password or greeting says nothing about the message; the administrator must correct the configuration. */
function isOfAccount(command = ''): boolean {
  return /^(AUTH|CONN|EHLO|HELO|STARTTLS)/.test(command)
}

/** Marks that turn the direction of what follows: a name could be read as another, or as the address. */
const turns = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A line break in a header would begin another header, and programs decode what looks like an encoded word. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(turns, '')
    .replaceAll('=?', '= ?')
    .trim()
}
