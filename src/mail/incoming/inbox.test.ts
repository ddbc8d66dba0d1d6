/** Reading a mailbox of a real IMAP server. */
import { expect, test } from 'vitest'
import { hasNoDovecot, openMailbox } from '../../../test/support/servers/dovecot.ts'
import { type Fate, type IncomingMessage, readInbox } from './inbox.ts'

const never = new AbortController().signal
const raw = (subject: string, body = 'Text') => `From: a@example.com\r\nSubject: ${subject}\r\n\r\n${body}\r\n`

test.skipIf(hasNoDovecot)(
  'each new message is read once: what is finished leaves the mailbox, the rest stays, as read or as new',
  async () => {
    const mailbox = await openMailbox()
    const fates: Record<string, Fate> = { one: 'finished', two: 'not ours', three: 'later' }
    for (const subject of Object.keys(fates)) await mailbox.put(raw(subject))
    const read = async (signal = never) => {
      const found: string[] = []
      const handle = async ({ raw, size_bytes }: IncomingMessage): Promise<Fate> => {
        const subject = /Subject: (\w+)/.exec(raw.toString())?.[1] ?? ''
        found.push(subject)
        expect(size_bytes).toBe(raw.length)
        return fates[subject] as Fate
      }
      await readInbox(mailbox, handle, signal)
      return found
    }
    expect(await read(AbortSignal.abort())).toEqual([])
    expect(await read()).toEqual(['one', 'two', 'three'])
    expect(await mailbox.count()).toEqual({ all: 2, unread: 1 })
    expect(await read()).toEqual(['three'])

    await mailbox.put(raw('large', 'x'.repeat(26 * 1024 * 1024)))
    const sizes: number[][] = []
    const note = async ({ raw, size_bytes }: IncomingMessage): Promise<Fate> => {
      sizes.push([raw.length, size_bytes])
      return 'finished'
    }
    await readInbox(mailbox, note, never)
    expect(sizes.at(-1)).toEqual([64 * 1024, expect.toSatisfy((size: number) => size > 26 * 1024 * 1024)])
    // One that fails stays new, and so do those behind it.
    await mailbox.put(raw('one'))
    await expect(
      readInbox(
        mailbox,
        async () => {
          throw new Error('no')
        },
        never,
      ),
    ).rejects.toThrow('no')
    expect(await mailbox.count()).toEqual({ all: 2, unread: 1 })
    const wrong = mailbox.imap_url.replace('secret', 'wrong')
    await expect(readInbox({ imap_url: wrong }, async () => 'finished', never)).rejects.toThrow()
    await expect(readInbox({ imap_url: `${mailbox.imap_url}/Elsewhere` }, async () => 'finished', never)).rejects.toThrow()
    await expect(readInbox({ imap_url: 'imaps://a:b@127.0.0.1:1' }, async () => 'finished', never)).rejects.toThrow()
  },
)
