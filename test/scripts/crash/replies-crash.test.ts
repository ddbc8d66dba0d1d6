/** Replies by mail when the server dies among them: each in the mailbox becomes one comment. */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { replyAddress } from '../../../src/features/notifications/outbox/reply-address.ts'
import { openSecrets } from '../../../src/program/secrets.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { hasNoDovecot, openMailbox } from '../../support/servers/dovecot.ts'
import { startServer } from '../server-process.ts'

const chance = chanceOf('kills among replies')
const kills = Number(process.env.GITSTEAD_TEST_KILLS ?? 2)
const replies = 20 * (kills + 1)

test.skipIf(hasNoDovecot)(
  'of replies among kill -9 at random moments each becomes one comment, and leaves the mailbox',
  { ...inFullRun('8 s of processor. replies.test.ts gives one message to several at once.'), timeout: 120_000 + kills * 60_000 },
  async () => {
    const mailbox = await openMailbox()
    const env = { GITSTEAD_IMAP_URL: mailbox.imap_url, GITSTEAD_REPLY_ADDRESS: 'git+%{key}@example.com' }
    let server = await startServer()
    const { home } = server
    const project = (await (await server.send('POST', '/projects', { name: 'commented' })).json()) as { id: number }
    const issue = (await (await server.send('POST', `/projects/${project.id}/issues`, { title: 'Heard' })).json()) as { id: number }
    const root = (await (await server.send('GET', '/user')).json()) as { id: number; email: string }
    await server.stop()
    const to = replyAddress(
      { config: { replies: { imap_url: '', address: { before: 'git+', after: '@example.com' } } }, secrets: await openSecrets(home, null) },
      root.id,
      `i${issue.id.toString(36)}`,
    )
    for (let number = 0; number < replies; number += 1)
      await mailbox.put(
        `From: ${root.email}\r\nTo: ${to}\r\nMessage-ID: <${number}@example.com>\r\nSubject: Re\r\n\r\nNumber ${number}\r\n`,
      )

    const written = async () => {
      const notes = await server.send('GET', `/projects/${project.id}/issues/1/notes?per_page=100&sort=asc`)
      return ((await notes.json()) as Array<{ body: string }>).map(({ body }) => body)
    }
    for (let kill = 0; kill <= kills; kill += 1) {
      server = await startServer({ home, env })
      const wanted = kill === kills ? replies : 15 * (kill + 1)
      await expect.poll(async () => (await written()).length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(wanted)
      if (kill === kills) break
      await setTimeout(chance() * 50)
      await server.kill()
    }
    await expect.poll(mailbox.count, { timeout: 60_000 }).toEqual({ all: 0, unread: 0 })
    expect((await written()).toSorted()).toEqual(Array.from({ length: replies }, (_, number) => `Number ${number}`).toSorted())
    expect(await server.stop()).toBe(0)
  },
)
