/** Replies to mail: comments of whoever got it, with their rights now; and what is told to whoever sent something else. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { rawMail, type SentMail } from '../../../../test/support/fixtures/raw-mails.ts'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer } from '../../../../test/support/mail-server.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { beginSession } from '../../people/sessions/sessions.ts'
import { replyAddress } from '../outbox/reply-address.ts'
import { forgetMessagesJob } from './replies.jobs.ts'
import { receiveMessage } from './replies.service.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  const address = { before: 'git+', after: '@example.com' }
  forge = await openForge({ config: { mail: server.config, replies: { imap_url: 'imap://git@127.0.0.1:1', address } } })
})
beforeEach(() => void server.received.splice(0))

interface Stage {
  owner: TestUser
  reader: TestUser
  project: TestProject
  issue: { id: number; iid: number }
}

async function stage(): Promise<Stage> {
  const [owner, reader] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: reader, files: null })
  return { owner, reader, project, issue: await forge.issue(project, owner) }
}

const notesOf = async ({ owner, project, issue }: Stage) =>
  (await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}/notes?sort=asc`)).body
const bodiesOf = async (all: Stage) =>
  (await notesOf(all)).filter(({ system }: { system: boolean }) => !system).map(({ body }: { body: string }) => body)

/** The address that replies to a comment, or to the issue, go to. */
async function addressFor({ reader, issue }: Stage, note_id?: number): Promise<string> {
  return replyAddress(forge.app, reader.id, note_id === undefined ? `i${issue.id.toString(36)}` : `n${note_id.toString(36)}`) as string
}

const rawOf = (mail: SentMail) => rawMail(mail).raw
const receive = (raw: Buffer, size_bytes = raw.length) => receiveMessage(forge.app, { raw, size_bytes })
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
/** Recipient and text of the mails about rejected replies. */
async function refusals(): Promise<Array<[to: string, text: string]>> {
  await forge.drain()
  return server.received
    .splice(0)
    .filter(({ mail }) => mail.subject?.startsWith('[Rejected]'))
    .map(({ to, mail }) => [to, mail.text ?? ''])
}

test('a reply to a mail is a comment of who got it, in its thread, without the quote, with its files', async () => {
  const all = await stage()
  const { owner, reader, project, issue } = all
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const { body: opened } = await forge.as(reader).post(`${at}/discussions`, { body: 'Is it shut?' })
  await forge.as(owner).post(`${at}/discussions/${opened.id}/notes`, { body: 'Why?' })
  await forge.drain()
  const { mail } = server.received.find(({ to, mail }) => to === reader.email && mail.text?.includes('Why?')) ?? { mail: null }
  const to = mail?.replyTo?.value[0]?.address ?? ''
  expect(to).toMatch(/^git\+[a-z\d-]{20,50}@example\.com$/)
  expect(to.split('@')[0]?.length).toBeLessThanOrEqual(64)
  expect([mail?.text, String(mail?.html)]).toEqual(Array(2).fill(expect.stringContaining('Reply to this message to comment.')))

  const boundary = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
  const text = `--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${utf8('It leaks – see the picture.')}\r\n\r\nOn Friday, Ada wrote:\r\n> Why?\r\n`
  const file = '--b\r\nContent-Type: image/png; name="a.png"\r\nContent-Disposition: attachment; filename="a b.png"\r\n'
  const signature = '--b\r\nContent-Type: application/pgp-signature; name="signature.asc"\r\n\r\nxx\r\n'
  const content = `${boundary}${text}${file}Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from('picture').toString('base64')}\r\n${signature}--b--\r\n`
  expect(await receive(rawOf({ from: `Reader <${reader.email.toUpperCase()}>`, to: `Git <${to}>`, content }))).toBe('finished')

  const note = (await notesOf(all)).at(-1)
  expect(note).toMatchObject({ author: { id: reader.id }, type: 'DiscussionNote' })
  expect(note.body).toMatch(/^It leaks – see the picture\.\n\n!\[a_b\]\(\/uploads\/[\da-f]{32}\/a_b\.png\)$/)
  const { body: discussion } = await forge.as(owner).get(`${at}/discussions/${opened.id}`)
  expect(discussion.notes.map(({ id }: { id: number }) => id)).toContain(note.id)
  const link = /\/uploads\/[^)]+/.exec(note.body)?.[0]
  const picture = await fetch(`${await forge.url()}/${project.full_path}${link}`, { headers: { 'private-token': reader.token } })
  expect(await picture.text()).toBe('picture')
  expect(await refusals()).toEqual([])
  const me = browserOf(forge.server)
  me.cookies.set('_service_session', await beginSession(forge.app, reader))
  expect((await me.get('/profile/notifications')).text).toContain('Reply to one to comment.')
})

test('quick actions of a reply do what their sender may do, alone or with words', async () => {
  const all = await stage()
  const { owner, reader, project, issue } = all
  const to = await addressFor(all)
  const from = reader.email
  await receive(rawOf({ from, to, text: 'Done.\n\n/close' }))
  await receive(rawOf({ from, to, text: '/label ~nothing-of-that-name' }))
  await receive(rawOf({ from, to, text: '/title Another' }))
  const { body } = await forge.as(owner).get(`/projects/${project.id}/issues/${issue.iid}`)
  expect([body.state, body.title, await bodiesOf(all)]).toEqual(['closed', 'Another', ['Done.']])
  expect(await refusals()).toEqual([[from, expect.stringContaining('could not be created')]])
})

test('a message is handled once, also when it is delivered or read several times at once', async () => {
  const all = await stage()
  const to = await addressFor(all)
  const raw = rawOf({ from: all.reader.email, to })
  const again = Buffer.concat([Buffer.from('Received: by another server\r\n'), raw])
  expect(await Promise.all([receive(raw), receive(raw), receive(again)])).toEqual(['finished', 'finished', 'finished'])
  expect(await receive(raw)).toBe('finished')
  for (const text of ['One', 'One', 'Two']) await receive(rawOf({ from: all.reader.email, to, text, headers: { 'Message-ID': '' } }))
  expect((await bodiesOf(all)).toSorted()).toEqual(['One', 'Two', 'Yes.'])

  // One that ends its process each time isn't tried for ever.
  const deadly = rawOf({ from: all.reader.email, to, text: 'Deadly' })
  await forge.app.db.updateTable('received_mails').set({ attempts: 5, state: 'new' }).execute()
  await receive(deadly)
  await forge.app.db.updateTable('received_mails').set({ attempts: 5, state: 'new' }).execute()
  expect(await receive(deadly)).toBe('not ours')
  await forge.app.db.updateTable('received_mails').set({ received_at: '2020-01-01T00:00:00.000Z' }).execute()
  await forgetMessagesJob.handle(forge.app, {})
  expect(await forge.app.db.selectFrom('received_mails').selectAll().execute()).toEqual([])
})

/** Nothing about the message itself is changed. */
async function after(change: Promise<unknown>): Promise<null> {
  await change
  return null
}

/** Each case changes one thing about a valid reply, and names the rejection it causes. */
const cases: Array<[what: string, told: string, change: (all: Stage) => Promise<Partial<SentMail> | null>]> = [
  [
    'an address that nobody was given',
    'could not find',
    async (all) => ({ to: (await addressFor(all)).replace(/.(?=@)/, (last) => (last === '0' ? '1' : '0')) }),
  ],
  ['another sender', 'not one of your account', async ({ owner }) => ({ from: owner.email })],
  [
    'an address that is not confirmed',
    'not one of your account',
    async ({ reader }) => {
      await forge.as(reader).post('/user/emails', { email: `new-${reader.username}@example.com` })
      return { from: `new-${reader.username}@example.com` }
    },
  ],
  ['a blocked user', 'cannot be used', ({ reader }) => after(forge.as(forge.root).post(`/users/${reader.id}/block`))],
  [
    'a deleted user',
    'could not find',
    async ({ reader }) => {
      await forge.as(forge.root).delete(`/users/${reader.id}`)
      await forge.drain()
      return null
    },
  ],
  [
    'somebody who has left',
    'no longer',
    ({ owner, project, reader }) => after(forge.as(owner).delete(`/projects/${project.id}/members/${reader.id}`)),
  ],
  [
    'an issue that is gone',
    'no longer',
    ({ owner, project, issue }) => after(forge.as(owner).delete(`/projects/${project.id}/issues/${issue.iid}`)),
  ],
  [
    'a comment that is gone',
    'no longer',
    async (all) => {
      const at = `/projects/${all.project.id}/issues/${all.issue.iid}/notes`
      const { body } = await forge.as(all.owner).post(at, { body: 'Why?' })
      await forge.as(all.owner).delete(`${at}/${body.id}`)
      return { to: await addressFor(all, body.id) }
    },
  ],
  [
    'an internal comment, for who may not read them',
    'no longer',
    async (all) => {
      const at = `/projects/${all.project.id}`
      const { body } = await forge.as(all.owner).post(`${at}/issues/${all.issue.iid}/notes`, { body: 'Quiet', internal: true })
      await forge.as(all.owner).put(`${at}/members/${all.reader.id}`, { access_level: 10 })
      return { to: await addressFor(all, body.id) }
    },
  ],
  ['an archived project', 'locked', ({ owner, project }) => after(forge.as(owner).post(`/projects/${project.id}/archive`))],
  [
    'a locked discussion',
    'locked',
    async (all) => {
      const { owner, reader, project, issue } = all
      await forge.as(owner).put(`/projects/${project.id}`, { visibility: 'public' })
      await forge.as(owner).delete(`/projects/${project.id}/members/${reader.id}`)
      await forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { discussion_locked: true })
      return null
    },
  ],
  ['a reply of quotes alone', 'empty', async () => ({ text: 'On Friday, Ada wrote:\n> Why?' })],
  ['a text beyond the limit', 'could not be created', async () => ({ text: 'word '.repeat(250_000) })],
  ['terms that were not accepted', 'accept the terms', () => after(writeSettings(forge.app.db, { terms: 'Be kind', enforce_terms: true }))],
]

test('what cannot become a comment is told by one mail that no program replies to, and changes nothing', async () => {
  for (const [what, told, change] of cases) {
    const all = await stage()
    const usual = { from: all.reader.email, to: await addressFor(all) }
    const { raw, id } = rawMail({ ...usual, ...(await change(all)) })
    await forge.drain()
    server.received.splice(0)
    const before = await forge.app.db.selectFrom('notes').select('id').execute()
    expect([what, await receive(raw), await receive(raw)]).toEqual([what, 'finished', 'finished'])
    await forge.app.db.deleteFrom('settings').execute()
    await forge.drain()
    const [mailed, ...more] = server.received.splice(0)
    const sender = /From: (.*)\r/.exec(raw.toString())?.[1]
    // Such an address was guessed: the reply repeats nothing of the message, or strangers could send their text from here.
    const subject = what === 'an address that nobody was given' ? 'Your message' : 'Re: Valve'
    expect([what, mailed?.to, mailed?.mail.subject, more.length]).toEqual([what, sender, `[Rejected] ${subject}`, 0])
    expect([what, mailed?.mail.text]).toEqual([what, expect.stringContaining(told)])
    expect([mailed?.mail.headers.get('auto-submitted'), mailed?.mail.inReplyTo]).toEqual(['auto-generated', id])
    expect((await forge.app.db.selectFrom('notes').select('id').execute()).length).toBe(before.length)
  }
})

test('50 MB are refused unread; an address gets at most five refusals an hour, and a stranger’s none for a forged reply', async () => {
  const all = await stage()
  const to = await addressFor(all)
  for (let count = 0; count < 7; count += 1) await receive(rawOf({ from: all.reader.email, to }), 50 * 1024 * 1024)
  const told = await refusals()
  expect(told).toEqual(Array(5).fill([all.reader.email, expect.stringContaining('too large')]))
  const forged = to.replace(/.(?=@)/, (last) => (last === '0' ? '1' : '0'))
  expect(await receive(rawOf({ from: 'victim@elsewhere.example', to: forged }))).toBe('finished')
  expect(await refusals()).toEqual([])
  expect(await bodiesOf(all)).toEqual([])
})

test('replies beyond the limit of comments wait in the mailbox', async () => {
  const all = await stage()
  const to = await addressFor(all)
  await forge.as(forge.root).put('/application/settings', { notes_create_limit: 1 })
  const [first, second] = [rawOf({ from: all.reader.email, to }), rawOf({ from: all.reader.email, to, text: 'Later.' })]
  expect([await receive(first), await receive(second)]).toEqual(['finished', 'later'])
  await forge.as(forge.root).put('/application/settings', { notes_create_limit: 0 })
  expect(await receive(second)).toBe('finished')
  expect(await bodiesOf(all)).toEqual(['Yes.', 'Later.'])
})

test('no program’s mail is a comment or gets a reply: notices, reports, lists, and our own mail that comes back', async () => {
  const all = await stage()
  const { owner, reader, project, issue } = all
  const [from, to] = [reader.email, await addressFor(all)]
  const headers: Array<Record<string, string>> = [
    { 'Auto-Submitted': 'auto-replied' },
    { 'Auto-Submitted': 'auto-generated (vacation)' },
    { Precedence: 'bulk' },
    { Precedence: 'Auto_reply' },
    { 'X-Autoreply': 'yes' },
    { 'Return-Path': '<>' },
    { From: 'MAILER-DAEMON@example.com' },
    { From: 'Postmaster <postmaster@example.com>' },
    { From: server.config.from },
    { From: '' },
  ]
  for (const header of headers) expect([header, await receive(rawOf({ from, to, headers: header }))]).toEqual([header, 'not ours'])
  const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nfailed\r\n--b--\r\n'
  expect(await receive(rawOf({ from, to, content: report }))).toBe('not ours')
  // With two senders it isn't known which of them to answer.
  expect(await receive(rawOf({ from, to, headers: { From: `${from}, ${owner.email}` } }))).toBe('finished')
  expect(await receive(rawOf({ from, to: 'git@example.com' }))).toBe('not ours')
  expect(await receive(rawOf({ from, to: 'git+hello@example.com' }))).toBe('not ours')
  // Our own mail comes back, as a misconfigured server may send it to the address for replies.
  await forge.as(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: `@${reader.username}` })
  await forge.drain()
  const sent = server.received.filter((one) => one.to === reader.email).map(({ mail }) => mail)
  expect(sent.length).toBeGreaterThan(0)
  for (const { headerLines, replyTo, text } of sent) {
    const lines = headerLines.filter(({ key }) => key !== 'to').map(({ line }) => line)
    const back = Buffer.from(`To: ${replyTo?.text}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
    expect(await receive(back)).toBe('not ours')
  }
  server.received.splice(0)
  expect([await bodiesOf(all), await refusals()]).toEqual([[`@${reader.username}`], []])
})

test('a reply about a merge request, a commit or a snippet is a comment there; hostile messages are nothing', async () => {
  const [owner, reader] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: reader })
  const at = `/projects/${project.id}`
  const file = { branch: 'change', start_branch: 'main', content: 'new', commit_message: 'New' }
  await forge.as(owner).post(`${at}/repository/files/new.txt`, file)
  await forge.as(owner).post(`${at}/merge_requests`, { source_branch: 'change', target_branch: 'main', title: 'Mend' })
  const { body } = await forge.as(owner).post(`${at}/snippets`, { title: 'Hint', file_name: 'a', code: 'a', visibility: 'private' })
  const { body: commit } = await forge.as(owner).get(`${at}/repository/commits/change`)
  for (const place of ['merge_requests/1', `repository/commits/${commit.id}`, `snippets/${body.id}`]) {
    const { body: opened } = await forge.as(owner).post(`${at}/${place}/discussions`, { body: 'Why?' })
    const to = replyAddress(forge.app, reader.id, `n${opened.notes[0].id.toString(36)}`) as string
    await receive(rawOf({ from: reader.email, to, text: 'So.' }))
    const { body: discussion } = await forge.as(owner).get(`${at}/${place}/discussions/${opened.id}`)
    expect([place, discussion.notes.map((note: { body: string }) => note.body)]).toEqual([place, ['Why?', 'So.']])
  }
  const nested = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n'.repeat(2_000)
  const noise = [Buffer.alloc(0), Buffer.from('x'.repeat(100_000)), Buffer.from([0, 255, 254])]
  for (const raw of [...noise, rawOf({ from: reader.email, to: 'x', content: nested })]) expect(await receive(raw)).toBe('not ours')
})
