/** Reports of abuse: from the page of a user to what administrators do about it. */
import { beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, openForge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { mailServer } from '../../../../test/support/mail-server.ts'
import { reportAbuse } from '../../../features/people/abuse-reports/abuse-reports.ts'

const password = 'correct horse battery'
const hostile = `<script>alert(1)</script>"'`
let forge: Forge
let admin: TestUser
beforeAll(async () => {
  forge = await testForge()
  admin = await forge.user({ admin: true, password })
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return me
}

const report = (me: Browser, user: TestUser, fields: Record<string, string> = {}) => {
  const at = `/users/${user.username}/report`
  return me.submit(at, at, { category: 'spam', message: hostile, url: '', ...fields })
}

const open = async () => (await forge.app.db.selectFrom('abuse_reports').selectAll().where('closed_at', 'is', null).execute()).length

test('a report reaches administrators as text, once, and nobody else', async () => {
  const [reporter, spammer] = [await forge.user({ password }), await forge.user()]
  const me = await signedIn(reporter)
  expect((await me.get(`/${spammer.username}`)).text).toContain(`href="/users/${spammer.username}/report"`)
  const sent = await report(me, spammer, { url: 'https://git.example.com/spam?a=1&b=2' })
  expect([sent.status, sent.location]).toEqual([303, `/${spammer.username}`])
  expect((await report(me, spammer)).text).toContain('You have reported this user before.')
  expect((await me.get('/admin/abuse_reports')).status).toBe(404)
  const { text } = await (await signedIn(admin)).get('/admin/abuse_reports')
  expect([readDocument(text).faults, text.includes('<script>alert'), text.includes(spammer.username)]).toEqual([[], false, true])
  expect(text).toContain('href="https://git.example.com/spam?a=1&amp;b=2"')
})

test('missing, too long and invalid fields are refused, and so is a report of oneself; simultaneous reports count once', async () => {
  const [reporter, spammer] = [await forge.user({ password }), await forge.user()]
  const me = await signedIn(reporter)
  for (const wrong of [{ category: 'envy' }, { message: ' ' }, { message: 'x'.repeat(5_001) }, { url: 'javascript:alert(1)' }])
    expect([wrong, (await report(me, spammer, wrong)).status]).toEqual([wrong, 422])
  const to = `/users/${reporter.username}/report`
  expect((await me.submit(to, to, { category: 'spam', message: 'Me' })).status).toBe(403)
  const before = await open()
  const wanted = { category: 'spam', message: 'Twice', url: '' }
  const outcomes = await Promise.allSettled([1, 2].map(() => reportAbuse(forge.app, reporter, spammer, wanted)))
  expect([outcomes.map(({ status }) => status).sort(), (await open()) - before]).toEqual([['fulfilled', 'rejected'], 1])
})

test('an administrator closes the reports of a user, bans them, or removes them with all they wrote', async () => {
  const [reporter, other] = [await forge.user({ password }), await forge.user({ password })]
  const [harmless, rude, spammer] = [await forge.user(), await forge.user(), await forge.user()]
  for (const user of [harmless, rude, spammer])
    for (const by of [reporter, other]) await reportAbuse(forge.app, by, user, { category: 'other', message: 'Look', url: '' })
  const project = await forge.project({ visibility: 'public' })
  const { body: issue } = await forge.as(spammer).post(`/projects/${project.id}/issues`, { title: 'Spam' })
  const me = await signedIn(admin)
  const of = async (user: TestUser) => {
    const rows = forge.app.db.selectFrom('abuse_reports').selectAll().where('user_id', '=', user.id)
    return rows.orderBy('id').execute()
  }
  const act = async (user: TestUser, name: string) => {
    const [first] = await of(user)
    expect((await me.submit('/admin/abuse_reports', `/admin/abuse_reports/${first?.id}/${name}`)).status).toBe(303)
  }
  await act(harmless, 'close')
  await act(rude, 'ban')
  await act(spammer, 'remove')
  const closed = async (user: TestUser) => (await of(user)).map(({ closed_at }) => closed_at !== null)
  expect([await closed(harmless), await closed(rude), await closed(spammer)]).toEqual([[true, true], [true, true], []])
  const root = forge.as(forge.root)
  expect((await root.get(`/users/${rude.id}`)).body.state).toBe('banned')
  expect((await root.get(`/users/${spammer.id}`)).status).toBe(404)
  expect((await root.get(`/projects/${project.id}/issues/${issue.iid}`)).status).toBe(404)
  expect((await me.get('/admin/abuse_reports?state=closed')).text).toContain(harmless.username)
})

test('administrators get mail about it, with what was written as text', async () => {
  const server = await mailServer()
  const mailing = await openForge({ config: { mail: server.config } })
  const [reporter, spammer] = [await mailing.user(), await mailing.user()]
  await reportAbuse(mailing.app, reporter, spammer, { category: 'phishing', message: hostile, url: '' })
  await mailing.drain()
  const [{ to, mail } = { to: '', mail: null }, ...more] = server.received
  expect([to, mail?.subject, more]).toEqual([mailing.root.email, 'A user was reported', []])
  expect(mail?.text).toContain(`${reporter.username} has reported ${spammer.username} (phishing):`)
  expect(String(mail?.html)).not.toContain('<script>alert')
})
