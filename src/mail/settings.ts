/** Settings for mail. */
import { refuse, type Setting } from '../config.values.ts'
import { isUrl } from '../text/parse-url.ts'

export interface MailConfig {
  /** `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte. */
  smtp_url: string
  /** The sender address of mail. */
  from: string
}

export const mailSettings = {
  GITSTEAD_SMTP_URL: {
    fallback: '',
    meaning: 'smtp://USER:PASSWORD@HOST:587 or smtps://… of the server that sends mail; no mail if empty',
    read: (value: string): string | null => {
      if (!value) return null
      return /^smtps?:\/\/[^/]/.test(value) && isUrl(value) ? value : refuse('an smtp:// or smtps:// URL')
    },
  },
  GITSTEAD_MAIL_FROM: {
    fallback: '',
    meaning: 'address that mail comes from; gitstead@ the host of GITSTEAD_URL if empty',
    read: (value: string): string | null => {
      if (!value) return null
      return /^[^\s@<>]+@[^\s@<>]+$/.test(value) ? value : refuse('a mail address, such as git@example.com')
    },
  },
} satisfies Record<string, Setting<unknown>>

type Get = <N extends keyof typeof mailSettings>(name: N) => ReturnType<(typeof mailSettings)[N]['read']>

/** Null if mail is not configured. */
export function readMail(get: Get, hostname: string): MailConfig | null {
  const smtp_url = get('GITSTEAD_SMTP_URL')
  const from = get('GITSTEAD_MAIL_FROM') ?? `gitstead@${hostname}`
  return smtp_url === null ? null : { smtp_url, from }
}
