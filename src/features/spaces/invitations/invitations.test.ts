/** Invitations by mail: who sends them, what the link does, and what nobody learns by them. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer } from '../../../../test/support/mail-server.ts'
import { redactUrl } from '../../../http/reply/redact.ts'
import { acceptInvitation, getInvitation, sendAgain } from './invitations.ts'

const password = 'correct horse battery'
let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(async () => {
  // Mail left over from an earlier test would be counted here.
  await forge.drain()
  server.received.splice(0)
})

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
  return me
}

/** Mail programs would make a link of it. */
const called = 'Ada of www.evil.example'
const shown = 'Ada of www.\u200bevil.\u200bexample'

/** A project and a group, each with who manages it. */
async function places() {
  const manager = await forge.user({ password, name: called })
  const developer = await forge.user({ password })
  const group = await forge.group({ owner: manager, developer })
  const project = await forge.project({ maintainer: manager, developer, files: null })
  return [
    { at: `/projects/${project.id}`, home: `/${project.full_path}`, path: project.full_path, manager, developer, kind: 'project' },
    { at: `/groups/${group.id}`, home: `/groups/${group.full_path}`, path: group.full_path, manager, developer, kind: 'group' },
  ]
}

/** The paths of the links in what was received. */
async function links(): Promise<string[]> {
  await forge.drain()
  return server.received.splice(0).map(({ mail }) => /\/-\/invites\/[\w-]+/.exec(mail.text ?? '')?.[0] ?? '')
}

test('who is invited gets a link, and becomes a member by it with an account of their own choice, once', async () => {
  for (const { at, home, path, manager, kind } of await places()) {
    const email = `guest-${kind}@example.com`
    const sent = await forge.as(manager).post(`${at}/invitations`, { email: email.toUpperCase(), access_level: 20 })
    expect([sent.status, sent.body]).toEqual([201, { status: 'success' }])
    const [one] = (await forge.as(manager).get(`${at}/invitations`)).body
    expect(one).toMatchObject({ invite_email: email, access_level: 20, expires_at: null, user_name: null, created_by_name: called })
    await forge.drain()
    const [{ to, mail }] = server.received as [(typeof server.received)[number]]
    expect([to, mail.subject, mail.from?.value[0]?.name]).toEqual([email, `Invitation to ${path}`, shown])
    expect(mail.text).toContain(`${shown} invites you to the ${kind} ${path} at ${forge.app.config.url}, as Reporter.`)
    const [link = ''] = await links()

    const nobody = browserOf(forge.server)
    const page = await nobody.get(link)
    expect([page.status, readDocument(page.text).faults]).toEqual([200, []])
    expect(page.text).toContain(`return_to=${encodeURIComponent(link)}`)
    const user = await forge.user({ password })
    const me = await signedIn(user)
    expect((await me.get(link)).text).toContain(`@${user.username}`)
    const accepted = await me.submit(link, `${link}/accept`)
    expect([accepted.status, accepted.location]).toEqual([303, home])
    expect((await forge.as(manager).get(`${at}/members/${user.id}`)).body.access_level).toBe(20)
    expect((await me.get(link)).status).toBe(404)
    expect((await forge.as(manager).get(`${at}/invitations`)).body).toEqual([])
  }
})

test('several are invited at once; each that is refused is named, and the others are invited', async () => {
  for (const { at, manager, developer, kind } of await places()) {
    const client = forge.as(manager)
    await client.post(`${at}/invitations`, { email: `twice-${kind}@example.com`, access_level: 10 })
    const fresh = await forge.user()
    const sent = await client.post(`${at}/invitations`, {
      email: `new-${kind}@example.com, twice-${kind}@example.com,no address`,
      user_id: `${fresh.id},${developer.id},999999999`,
      access_level: 30,
      expires_at: '2999-01-01',
    })
    expect([sent.status, sent.body]).toEqual([
      201,
      {
        status: 'error',
        message: {
          [`twice-${kind}@example.com`]: 'Invite email has already been taken',
          'no address': 'Invite email is invalid',
          [developer.id]: 'Member already exists',
          999999999: 'User Not Found',
        },
      },
    ])
    const open = (await client.get(`${at}/invitations?query=NEW-`)).body
    expect(open.map(({ invite_email, expires_at }: Record<string, unknown>) => [invite_email, expires_at])).toEqual([
      [`new-${kind}@example.com`, '2999-01-01'],
    ])
    expect((await client.get(`${at}/members/${fresh.id}`)).body.access_level).toBe(30)
  }
})

test('what cannot be an invitation is refused before anybody is invited', async () => {
  for (const { at, manager, kind } of await places()) {
    const send = (body: Record<string, unknown>) => forge.as(manager).post(`${at}/invitations`, body)
    const email = `never-${kind}@example.com`
    for (const access_level of [0, 15, 60, ...(kind === 'project' ? [50] : [])])
      expect([access_level, (await send({ email, access_level })).status]).toEqual([access_level, 400])
    expect((await send({ access_level: 30 })).status).toBe(400)
    expect((await send({ email, user_id: 'one', access_level: 30 })).status).toBe(400)
    expect((await send({ email, user_id: '1e3', access_level: 30 })).status).toBe(400)
    expect((await send({ email: Array.from({ length: 101 }, (_, n) => `a${n}@example.com`), access_level: 30 })).status).toBe(400)
    for (const wrong of ['a@b\nBcc: c@example.com', `${'a'.repeat(2000)}@example.com`, '@', 'a@b c'])
      expect((await send({ email: wrong, access_level: 30 })).body.status).toBe('error')
    expect((await forge.as(manager).get(`${at}/invitations`)).body).toEqual([])
  }
  expect(await links()).toEqual([])
})

test('an invitation is changed and withdrawn by those who manage the place; its link ends with it', async () => {
  for (const { at, manager, developer, kind } of await places()) {
    const client = forge.as(manager)
    const email = `changed+${kind}@example.com`
    const one = `${at}/invitations/${encodeURIComponent(email)}`
    await client.post(`${at}/invitations`, { email, access_level: 10 })
    const [link = ''] = await links()
    const changed = await client.put(one, { access_level: 30, expires_at: '2999-01-01' })
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ access_level: 30, expires_at: '2999-01-01' })])
    expect((await client.put(one, { expires_at: null })).body).toMatchObject({ access_level: 30, expires_at: null })
    expect((await client.put(one, { access_level: 15 })).status).toBe(400)
    expect((await forge.as(developer).put(one, { access_level: 40 })).status).toBe(403)
    expect((await client.delete(one)).status).toBe(204)
    expect((await client.delete(one)).status).toBe(404)
    const user = await forge.user()
    await expect(acceptInvitation(forge.app, link.replace('/-/invites/', ''), user)).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('nobody learns by an invitation whose address it is; who may know it adds the user at once', async () => {
  const known = await forge.user({ password })
  const [{ at, manager }] = (await places()) as [Awaited<ReturnType<typeof places>>[number]]
  const sent = await forge.as(manager).post(`${at}/invitations`, { email: known.email, access_level: 20 })
  expect(sent.body).toEqual({ status: 'success' })
  expect((await forge.as(manager).get(`${at}/members/${known.id}`)).status).toBe(404)
  expect(await links()).toHaveLength(1)

  const [other] = (await places()) as [Awaited<ReturnType<typeof places>>[number]]
  await forge.as(forge.root).post(`${other.at}/invitations`, { email: known.email, access_level: 20 })
  expect((await forge.as(other.manager).get(`${other.at}/members/${known.id}`)).body.access_level).toBe(20)
  expect((await forge.as(other.manager).get(`${other.at}/invitations`)).body).toEqual([])
})

test('a link is valid while the user who sent it last may invite there', async () => {
  for (const { at, manager, kind } of await places()) {
    const user = await forge.user()
    const email = `left-${kind}@example.com`
    await forge.as(manager).post(`${at}/invitations`, { email, access_level: 30 })
    const [link = ''] = await links()
    const accept = () => acceptInvitation(forge.app, link.replace('/-/invites/', ''), user)
    await forge.as(forge.root).post(`/users/${manager.id}/block`)
    await expect(accept()).rejects.toMatchObject({ code: 'not_found' })
    expect((await browserOf(forge.server).get(link)).status).toBe(404)
    const id = Number(at.split('/').at(-1))
    const invitation = await getInvitation(forge.app, kind === 'project' ? { project_id: id } : { namespace_id: id }, email)
    await sendAgain(forge.app, invitation, forge.root)
    expect([await links(), await accept()]).toEqual([[link], true])
    await forge.as(forge.root).post(`/users/${manager.id}/unblock`)
  }
})

test('of ten who accept at once one becomes a member', async () => {
  for (const { at, manager, kind } of await places()) {
    const client = forge.as(manager)
    await client.post(`${at}/invitations`, { email: `raced-${kind}@example.com`, access_level: 20 })
    const token = ((await links())[0] ?? '').replace('/-/invites/', '')
    const users = await Promise.all(Array.from({ length: 10 }, () => forge.user()))
    const outcomes = await Promise.allSettled(users.map((user) => acceptInvitation(forge.app, token, user)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const members = await Promise.all(users.map(async ({ id }) => (await client.get(`${at}/members/${id}`)).status))
    expect(members.filter((status) => status === 200)).toHaveLength(1)
  }
})

test('who is a member already stays what they are', async () => {
  for (const { at, manager, developer, kind } of await places()) {
    await forge.as(manager).post(`${at}/invitations`, { email: `same-${kind}@example.com`, access_level: 40 })
    const [link = ''] = await links()
    const me = await signedIn(developer)
    expect((await me.submit(link, `${link}/accept`)).status).toBe(303)
    expect((await forge.as(manager).get(`${at}/members/${developer.id}`)).body.access_level).toBe(30)
  }
})

test('the link may be declined without an account, and counts for nothing after its end', async () => {
  const [{ at, manager }] = (await places()) as [Awaited<ReturnType<typeof places>>[number]]
  const client = forge.as(manager)
  await client.post(`${at}/invitations`, { email: 'declining@example.com', access_level: 20 })
  const [link = ''] = await links()
  expect((await browserOf(forge.server).submit(link, `${link}/decline`)).status).toBe(200)
  expect((await client.get(`${at}/invitations`)).body).toEqual([])

  await client.post(`${at}/invitations`, { email: 'late@example.com', access_level: 20 })
  const [late = ''] = await links()
  await forge.app.db
    .updateTable('invitations')
    .set({ ends_at: '2020-01-01T00:00:00.000Z' })
    .where('email', '=', 'late@example.com')
    .execute()
  expect((await browserOf(forge.server).get(late)).status).toBe(404)
  expect((await client.get(`${at}/invitations`)).body).toEqual([])
  // One that has ended is in nobody's way.
  expect((await client.post(`${at}/invitations`, { email: 'late@example.com', access_level: 20 })).body).toEqual({ status: 'success' })
})

test('on the page of members one invites, sends the same link again, and withdraws it', async () => {
  for (const { home, manager, developer, kind } of await places()) {
    const me = await signedIn(manager)
    const members = kind === 'project' ? `${home}/project_members` : `${home}/-/group_members`
    const email = `paged-${kind}@example.com`
    expect((await me.submit(members, `${members}/invitations`, { email, access_level: '20', expires_at: '' })).status).toBe(303)
    const page = await me.get(members)
    expect(readDocument(page.text).faults).toEqual([])
    expect(page.text).toContain(email)
    const first = await links()
    expect((await me.submit(members, `${members}/invitations/send`, { email })).status).toBe(303)
    expect(await links()).toEqual(first)
    const again = await me.submit(members, `${members}/invitations`, { email, access_level: '20', expires_at: '' })
    expect([again.status, again.text.includes('has already been taken')]).toEqual([422, true])
    expect((await (await signedIn(developer)).get(members)).text).not.toContain(email)
    expect((await me.submit(members, `${members}/invitations/withdraw`, { email })).status).toBe(303)
    expect((await me.get(first[0] ?? '')).status).toBe(404)
  }
})

test('the token is in no row and in no line of the log, and who invites is in the audit log', async () => {
  const [{ at, manager }] = (await places()) as [Awaited<ReturnType<typeof places>>[number]]
  await forge.as(manager).post(`${at}/invitations`, { email: 'audited@example.com', access_level: 20 })
  const token = ((await links())[0] ?? '').replace('/-/invites/', '')
  expect(token).toHaveLength(43)
  expect(redactUrl(`/-/invites/${token}/accept`)).toBe('/-/invites/[redacted]/accept')
  const rows = await forge.app.db.selectFrom('invitations').selectAll().execute()
  const jobs = await forge.app.db.selectFrom('jobs').selectAll().execute()
  expect(JSON.stringify([rows, jobs])).not.toContain(token)
  const lines = (await forge.as(manager).get(`${at}/audit_events`)).body
  expect(
    lines.some(({ details }: { details: Record<string, unknown> }) => details.custom_message === 'Invited audited@example.com as Reporter'),
  ).toBe(true)
})

test('an address gets five messages an hour, whoever asks for them', async () => {
  const sent: unknown[] = []
  for (let index = 0; index < 3; index += 1)
    for (const { at, manager } of await places())
      sent.push((await forge.as(manager).post(`${at}/invitations`, { email: 'flooded@example.com', access_level: 20 })).body.status)
  expect(sent).toEqual(['success', 'success', 'success', 'success', 'success', 'error'])
  expect(await links()).toHaveLength(5)
})

test('where no mail is sent nobody is invited', async () => {
  const silent = await openForge()
  const owner = await silent.user()
  const project = await silent.project({ owner, files: null })
  const sent = await silent.as(owner).post(`/projects/${project.id}/invitations`, { email: 'a@example.com', access_level: 20 })
  expect(sent.body).toEqual({ status: 'error', message: { 'a@example.com': 'This server sends no mail.' } })
})
