/** Reads new messages from an IMAP mailbox, one after the other. */
import type { ImapFlow } from 'imapflow'
import type { RepliesConfig } from '../reply-settings.ts'

export interface IncomingMessage {
  /** The whole message, or its beginning if it is larger than `maxMessage_bytes`. */
  raw: Buffer
  /** The size of the whole message. */
  size_bytes: number
}

/** The outcome for a message: a finished one leaves the mailbox, one that isn't for us stays there as read, and one to try again as new. */
export type Fate = 'finished' | 'not ours' | 'later'

/** Larger messages are loaded only in part. */
export const maxMessage_bytes = 25 * 1024 * 1024
/** The beginning of a large message, which has its headers. */
const beginning_bytes = 64 * 1024
/** The timeout of connecting, and of silence. */
const patience_ms = 30_000
/** At most so many at a time, so that a full mailbox doesn't keep others waiting. */
const atOnce = 200

/**
 * Hands each unread message to `handle`, and gives it its fate. The library is loaded with the first mailbox. Throws if the server is away,
 * or refuses the user.
 */
export async function readInbox(
  { imap_url }: Pick<RepliesConfig, 'imap_url'>,
  handle: (message: IncomingMessage) => Promise<Fate>,
  stopping: AbortSignal,
): Promise<void> {
  const { client, mailbox } = await openClient(imap_url)
  try {
    await client.connect()
    const lock = await client.getMailboxLock(mailbox)
    try {
      const found = await client.search({ seen: false, deleted: false }, { uid: true })
      for (const uid of (found || []).slice(0, atOnce)) {
        if (stopping.aborted) return
        const message = await load(client, uid)
        if (message) await give(client, uid, await handle(message))
      }
    } finally {
      lock.release()
    }
  } finally {
    client.close()
  }
}

async function openClient(imap_url: string): Promise<{ client: ImapFlow; mailbox: string }> {
  const { ImapFlow } = await import('imapflow')
  const { protocol, hostname, port, username, password, pathname } = new URL(imap_url)
  const secure = protocol === 'imaps:'
  const client = new ImapFlow({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 993 : 143) : Number(port),
    secure,
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: patience_ms,
    greetingTimeout: patience_ms,
    socketTimeout: patience_ms,
  })
  // The command that was running rejects, too.
  client.on('error', () => {})
  return { client, mailbox: decodeURIComponent(pathname.slice(1)) || 'INBOX' }
}

/** Null if another program has removed it. Loading it doesn't mark it as read. */
async function load(client: ImapFlow, uid: number): Promise<IncomingMessage | null> {
  const known = await client.fetchOne(String(uid), { size: true }, { uid: true })
  if (!known) return null
  const size_bytes = known.size ?? 0
  const maxLength = size_bytes > maxMessage_bytes ? beginning_bytes : maxMessage_bytes
  const loaded = await client.fetchOne(String(uid), { source: { maxLength } }, { uid: true })
  return loaded && loaded.source !== undefined ? { raw: loaded.source, size_bytes } : null
}

async function give(client: ImapFlow, uid: number, fate: Fate): Promise<void> {
  if (fate === 'finished') await client.messageDelete(String(uid), { uid: true })
  if (fate === 'not ours') await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
}
