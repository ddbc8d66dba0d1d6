/** Settings for replies to mail: the mailbox that they arrive in, and its address. */
import { refuse, type Setting } from '../config.values.ts'
import { StartRefused } from '../failure.ts'
import { isUrl } from '../text/parse-url.ts'

export interface RepliesConfig {
  /** `imap://user:password@host:143`, or `imaps://…` for TLS from the first byte; its path is the mailbox. */
  imap_url: string
  /** The address of a recipient and a thread is their key between these. */
  address: { before: string; after: string }
}

const placeholder = '%{key}'
/** The part before the @ has at most 64 characters, of which a key takes up to 44. */
const maxLocal_chars = 20

export const replySettings = {
  GITSTEAD_IMAP_URL: {
    fallback: '',
    meaning: 'imaps://USER:PASSWORD@HOST/MAILBOX or imap://… that replies to mail arrive in; INBOX without a path; no replies if empty',
    read: (value: string): string | null => {
      if (!value) return null
      return /^imaps?:\/\/[^/:@]+(:[^/@]*)?@[^/]/.test(value) && isUrl(value) ? value : refuse('an imap:// or imaps:// URL with a user')
    },
  },
  GITSTEAD_REPLY_ADDRESS: {
    fallback: '',
    meaning: `address of that mailbox, with ${placeholder} where the key of a thread goes: git+${placeholder}@example.com`,
    read: (value: string): RepliesConfig['address'] | null => {
      if (!value) return null
      const [before = '', after = '', ...more] = value.toLowerCase().split(placeholder)
      const isRight = more.length === 0 && /^[\w.+=-]*$/.test(before) && /^[\w.+=-]*@[^\s@<>",;:]+$/.test(after)
      const local_chars = before.length + after.indexOf('@')
      return isRight && local_chars <= maxLocal_chars
        ? { before, after }
        : refuse(`a mail address with ${placeholder} before the @ and at most ${maxLocal_chars} other characters there`)
    },
  },
} satisfies Record<string, Setting<unknown>>

type Get = <N extends keyof typeof replySettings>(name: N) => ReturnType<(typeof replySettings)[N]['read']>

/** Null if replies to mail are not read. Throws StartRefused for half of what they need. */
export function readReplies(get: Get): RepliesConfig | null {
  const imap_url = get('GITSTEAD_IMAP_URL')
  const address = get('GITSTEAD_REPLY_ADDRESS')
  if (imap_url === null && address === null) return null
  if (imap_url === null || address === null) throw new StartRefused('GITSTEAD_IMAP_URL and GITSTEAD_REPLY_ADDRESS must be set together')
  return { imap_url, address }
}
