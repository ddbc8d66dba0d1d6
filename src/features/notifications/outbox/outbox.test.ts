/** Sending: at most once, again where nothing was sent, and never with what it was refused for. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer, type Received } from '../../../../test/support/mail-server.ts'
import { inTransaction } from '../../../db/database.ts'
import { pruneMailJob } from './outbox.jobs.ts'
import { type Content, mailIn } from './outbox.ts'

/** The mail server answers by the beginning of the recipient's address. */
const answers: Record<string, [code: number, text: string]> = {
  busy: [451, 'Try again later'],
  gone: [550, 'No such user'],
}

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer({
    onRcptTo({ address }, _, callback) {
      const [, [code, text] = [0, '']] = Object.entries(answers).find(([start]) => address.startsWith(start)) ?? []
      callback(code === 0 ? null : Object.assign(new Error(text), { responseCode: code }))
    },
  })
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(() => void server.received.splice(0))

let keys = 0
const content = (more: Partial<Content> = {}): Content => ({
  key: `test:${++keys}`,
  from_name: 'Ada',
  subject: 'Subject',
  text: 'Text',
  html: '<p>Text</p>',
  url: 'http://example.com/page',
  message_id: `test_${keys}@example.com`,
  in_reply_to: null,
  headers: {},
  issue_id: null,
  merge_request_id: null,
  ...more,
})
const put = (what: Content, ...users: TestUser[]) =>
  inTransaction(forge.app.db, (tx) =>
    mailIn(
      tx,
      what,
      users.map((user) => ({ ...user, reason: null })),
    ),
  )
const addressed = async (start: string) => {
  const user = await forge.user()
  const email = `${start}-${user.username}@example.com`
  await forge.app.db.updateTable('users').set({ notification_email: email }).where('id', '=', user.id).execute()
  return { ...user, notification_email: email }
}
const stateOf = async (user: TestUser) =>
  forge.app.db
    .selectFrom('mails')
    .select(['state', 'attempts', 'last_error', 'due_at'])
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()

test('what is told twice is sent once, to each by their own address', async () => {
  const [one, two] = [await forge.user(), await addressed('two')]
  const told = content()
  await put(told, one, two)
  await put(told, one, two)
  await forge.drain()
  await forge.drain()
  expect(server.received.map(({ to }) => to).sort()).toEqual([one.email, two.notification_email].sort())
})

test('nothing is sent of what was rolled back', async () => {
  const user = await forge.user()
  const failing = inTransaction(forge.app.db, async (tx) => {
    await mailIn(tx, content(), [{ ...user, reason: null }])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await forge.drain()
  expect(server.received).toEqual([])
})

test('one recipient who is refused for good gets nothing, the others theirs', async () => {
  const [gone, there] = [await addressed('gone'), await forge.user()]
  await put(content(), gone, there)
  await forge.drain()
  expect(server.received.map(({ to }) => to)).toEqual([there.email])
  expect(await stateOf(gone)).toMatchObject({ state: 'failed', attempts: 1, last_error: expect.stringContaining('No such user') })
})

test('a recipient whom the server can’t take now is tried again a minute later, and again after longer', async () => {
  const busy = await addressed('busy')
  await put(content(), busy)
  const before = Date.now()
  await forge.drain()
  const { state, attempts, due_at } = await stateOf(busy)
  expect([state, attempts]).toEqual(['waiting', 1])
  expect(Date.parse(due_at)).toBeGreaterThanOrEqual(before + 60_000)
  await forge.app.db
    .updateTable('mails')
    .set({ due_at: new Date(0).toISOString(), attempts: 7 })
    .where('user_id', '=', busy.id)
    .execute()
  await put(content(), await forge.user())
  await forge.drain()
  expect(await stateOf(busy)).toMatchObject({ state: 'failed', attempts: 8 })
})

test('mail that had to wait is only sent to users who may still see what it is about', async () => {
  const [stays, leaves, blocked] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ developer: stays, files: null })
  const root = forge.as(forge.root)
  for (const { id } of [leaves, blocked]) await root.post(`/projects/${project.id}/members`, { user_id: id, access_level: 30 })
  const issue = await forge.issue(project, forge.root)
  const note = await forge.note(project, issue, forge.root, { body: 'A secret' })
  const told = { thread: { kind: 'note', id: note.id } } as const
  await root.delete(`/projects/${project.id}/members/${leaves.id}`)
  await root.post(`/users/${blocked.id}/block`)
  await forge.drain()
  const send = async (text: string, minutes: number) => {
    server.received.splice(0)
    await put(content({ text, ...told }), stays, leaves, blocked)
    const created_at = new Date(Date.now() - minutes * 60_000).toISOString()
    await forge.app.db.updateTable('mail_contents').set({ created_at }).where('text', '=', text).execute()
    await forge.drain()
    return server.received.map(({ to }) => to).sort()
  }
  expect(await send('As it was written', 0)).toEqual([stays, leaves, blocked].map(({ email }) => email).sort())
  expect(await send('After ten minutes', 10)).toEqual([stays.email])
  await root.delete(`/projects/${project.id}/issues/${issue.iid}/notes/${note.id}`)
  expect(await send('Once it is gone', 10)).toEqual([])
  const mails = forge.app.db.selectFrom('mails').select('last_error').where('user_id', '=', leaves.id).orderBy('id', 'desc')
  expect(await mails.executeTakeFirst()).toEqual({ last_error: 'its recipient can no longer see what it is about' })
})

test('mail that a process had when it died is never sent again', async () => {
  const user = await forge.user()
  await put(content(), user)
  await forge.app.db
    .updateTable('mails')
    .set({ state: 'sending', due_at: new Date(0).toISOString() })
    .where('user_id', '=', user.id)
    .execute()
  await forge.drain()
  await pruneMailJob.handle(forge.app, {})
  expect(server.received).toEqual([])
  expect(await stateOf(user)).toMatchObject({ state: 'failed', last_error: 'the server stopped while it was being sent' })
})

test('unsubscribing works by one click, by the page, and not by a key that was made up', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, files: null })
  const issue = await forge.issue(project, owner)
  const reader = await forge.user()
  await put(content({ issue_id: issue.id }), reader)
  await forge.drain()
  const [received] = server.received.filter(({ to }) => to === reader.email) as [Received]
  const link = (received.mail.headers.get('list') as { unsubscribe: { url: string } }).unsubscribe.url
  const path = new URL(link).pathname
  const url = await forge.url()
  const page = await fetch(`${url}${path.replace('one_click', 'unsubscribe')}`)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`issue #${issue.iid}`)])

  const click = await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  await click.text()
  const made = await fetch(`${url}/sent_notifications/v1.${'a'.repeat(60)}/one_click`, { method: 'POST' })
  await made.text()

  expect([click.status, made.status]).toEqual([204, 404])
  const chosen = await forge.app.db.selectFrom('subscriptions').select(['user_id', 'subscribed']).where('issue_id', '=', issue.id).execute()
  expect(chosen).toEqual([{ user_id: reader.id, subscribed: false }])
})
