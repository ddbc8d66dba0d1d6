/** Mail about issues and merge requests, as a real SMTP server gets it. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer } from '../../../../test/support/mail-server.ts'
import { changeComment, createComment, removeComment } from '../../discussion/snippet-comments/snippet-comments.ts'
import { type NotificationSwitch, switches } from '../../spaces/notification-settings/notification-settings.ts'
import { dueIssuesJob } from './activity-mails.jobs.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})
beforeEach(() => void server.received.splice(0))

/** Runs what is due, and returns who got mail since, in order. */
async function told(): Promise<string[]> {
  await forge.drain()
  return server.received.map(({ to }) => to).sort()
}
const addresses = (...users: TestUser[]) => users.map(({ email }) => email).sort()
const sets = (user: TestUser, project: TestProject | null, body: object) =>
  forge.as(user).put(`${project ? `/projects/${project.id}` : ''}/notification_settings`, body)

async function cast() {
  const [owner, ada, bea, cy] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: ada, reporter: bea, guest: cy, files: null })
  return { owner, ada, bea, cy, project }
}

test('those assigned and mentioned in a new issue get it, the author does not, and others do only if they watch', async () => {
  const { owner, ada, bea, cy, project } = await cast()
  await sets(cy, project, { level: 'watch' })
  const stranger = await forge.user()
  await forge.as(owner).post(`/projects/${project.id}/issues`, {
    title: 'Fix <it>',
    description: `Hello @${bea.username}, **look**`,
    assignee_ids: [ada.id],
  })

  expect(await told()).toEqual(addresses(ada, bea, cy))
  const [{ mail }] = server.received.filter(({ to }) => to === bea.email) as [(typeof server.received)[0]]
  expect(mail.subject).toBe(`${project.name} | Fix <it> (#1)`)
  expect([mail.from?.value[0]?.name, mail.from?.value[0]?.address]).toEqual([owner.name, 'forge@example.com'])
  expect(mail.text).toContain(`${owner.name} opened issue #1:`)
  expect(mail.html).toContain('<strong>look</strong>')
  expect(mail.headers.get('x-gitlab-notificationreason')).toBe('mentioned')
  expect(mail.headers.get('x-gitlab-project-path')).toBe(project.full_path)
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
  expect(stranger.email).not.toBe('')
})

test('a comment is threaded below its issue, and reaches those who take part', async () => {
  const { owner, ada, bea, project } = await cast()
  const issue = await forge.issue(project, owner)
  await forge.drain()
  server.received.splice(0)
  const notes = `/projects/${project.id}/issues/${issue.iid}/notes`
  await forge.as(ada).post(notes, { body: 'First' })
  expect(await told()).toEqual(addresses(owner))
  const { mail } = server.received[0] as (typeof server.received)[0]
  expect(mail.inReplyTo).toBe(`<issue_${issue.id}@${forge.app.config.hostname}>`)
  expect(mail.subject).toBe(`Re: ${project.name} | ${issue.title} (#${issue.iid})`)
  expect(mail.text).toMatch(/First[\s\S]+issues\/1#note_\d+/)
  server.received.splice(0)

  await forge.as(bea).post(notes, { body: 'Second' })
  expect(await told()).toEqual(addresses(owner, ada))
})

test('nobody hears what they can’t see: internal notes, confidential issues, a project they have left', async () => {
  const { owner, ada, cy, project } = await cast()
  const notes = (iid: number) => `/projects/${project.id}/issues/${iid}/notes`
  const open = await forge.issue(project, cy)
  const secret = await forge.issue(project, owner, { confidential: true })
  await forge.as(cy).post(`/projects/${project.id}/issues/${open.iid}/subscribe`)
  await sets(cy, project, { level: 'watch' })
  await forge.drain()
  server.received.splice(0)

  await forge.as(owner).post(notes(open.iid), { body: `internal @${cy.username}`, internal: true })
  await forge.as(ada).post(notes(secret.iid), { body: `secret @${cy.username}` })
  expect(await told()).toEqual(addresses(owner))
  server.received.splice(0)

  await forge.as(owner).delete(`/projects/${project.id}/members/${cy.id}`)
  await forge.as(ada).post(notes(open.iid), { body: 'Afterwards' })
  expect(await told()).toEqual(addresses(owner))
})

test('levels of a project win over those of everywhere, custom switches choose, and disabled hears nothing but what was subscribed', async () => {
  const { owner, ada, bea, cy, project } = await cast()
  await sets(ada, null, { level: 'watch' })
  await sets(ada, project, { level: 'disabled' })
  await sets(bea, project, { level: 'custom', close_issue: true })
  await sets(cy, null, { level: 'watch' })
  const issue = await forge.issue(project, owner)
  expect(await told()).toEqual(addresses(cy))
  server.received.splice(0)
  await forge.as(ada).post(`/projects/${project.id}/issues/${issue.iid}/subscribe`)
  await forge.as(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { state_event: 'close' })
  expect(await told()).toEqual(addresses(ada, bea, cy))
})

test('people of a merge request hear of assignees, approvals, the merge, and why it left a queue', async () => {
  const { owner, ada, bea, project } = await cast()
  const code = await forge.project({ owner, developer: ada, maintainer: bea })
  expect(project.id).not.toBe(code.id)
  const branches = `/projects/${code.id}/repository`
  await forge.as(owner).post(`${branches}/branches`, { branch: 'change', ref: 'main' })
  await forge.as(owner).post(`${branches}/files/new.txt`, { branch: 'change', content: 'new', commit_message: 'New' })
  const at = `/projects/${code.id}/merge_requests`
  const { body } = await forge.as(ada).post(at, { source_branch: 'change', target_branch: 'main', title: 'Merge', assignee_id: owner.id })
  expect(await told()).toEqual(addresses(owner))
  server.received.splice(0)
  await forge.as(ada).put(`${at}/${body.iid}`, { assignee_id: bea.id })
  expect(await told()).toEqual(addresses(owner, bea))
  expect(server.received[0]?.mail.text).toContain(`from ${owner.name} to ${bea.name}`)
  server.received.splice(0)
  await forge.as(owner).post(`${at}/${body.iid}/approval_rules`, { name: 'Pumps', approvals_required: 0, user_ids: [bea.id] })
  expect(await told()).toEqual(addresses(bea))
  expect(server.received[0]?.mail.text).toContain(`${owner.name} asks you to approve merge request !${body.iid}.`)
  server.received.splice(0)
  await forge.as(owner).post(`${at}/${body.iid}/approve`)
  await forge.as(owner).post(`${at}/${body.iid}/unapprove`)
  expect(await told()).toEqual(addresses(ada, ada, bea, bea))
  const said = server.received.map(({ mail }) => mail.text?.split('\n', 1)[0]).sort()
  expect(said).toEqual(
    [
      ...Array(2).fill(`Merge request !${body.iid} was approved by ${owner.name}.`),
      ...Array(2).fill(`${owner.name} took their approval of merge request !${body.iid} back.`),
    ].sort(),
  )
  server.received.splice(0)
  // Bea adds it to a queue that is turned off before it is tested: both she and its author hear why it left.
  await forge.as(bea).put(`/projects/${code.id}`, { merge_trains_enabled: true })
  await forge.as(bea).post(`/projects/${code.id}/merge_trains/merge_requests/${body.iid}`)
  await forge.as(bea).put(`/projects/${code.id}`, { merge_trains_enabled: false })
  expect(await told()).toEqual(addresses(ada, bea))
  expect(server.received[0]?.mail.text).toContain(
    `Merge request !${body.iid} was removed from the merge queue because merge trains were turned off.`,
  )
  server.received.splice(0)
  await forge.as(bea).put(`${at}/${body.iid}/merge`)
  expect(await told()).toEqual(addresses(ada, owner))
  expect(server.received[0]?.mail.text).toContain(`Merge request !${body.iid} was merged by ${bea.name}.`)
})

test('users who asked for it get mail about their own acts, and names can’t inject headers', async () => {
  const { owner, project } = await cast()
  await forge.app.db
    .updateTable('users')
    .set({ notified_of_own_activity: true, name: 'Eve\r\nBcc: all@example.com' })
    .where('id', '=', owner.id)
    .execute()
  await forge.issue(project, owner, { title: 'A <script>alert(1)</script> title' })
  expect(await told()).toEqual(addresses(owner))
  const { mail } = server.received[0] as (typeof server.received)[0]
  expect(mail.from?.value[0]?.name).toBe('Eve Bcc: all@example.com')
  expect(mail.bcc).toBeUndefined()
  expect(String(mail.html)).not.toContain('<script>')
  expect(mail.headers.get('x-gitlab-notificationreason')).toBe('own_activity')
})

test('issues are told of once, on the day before they are due', async () => {
  const { owner, project } = await cast()
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 10)
  const { body } = await forge.as(owner).post(`/projects/${project.id}/issues`, { title: 'Due', due_date: tomorrow })
  await forge.drain()
  server.received.splice(0)
  await dueIssuesJob.handle(forge.app, {})
  await dueIssuesJob.handle(forge.app, {})
  expect(await told()).toEqual(addresses(owner))
  expect(server.received[0]?.mail.text).toContain(`Issue #${body.iid} is due on ${tomorrow}.`)
})

test('a comment on a personal snippet reaches its author, those who commented and those it mentions, if they can see it', async () => {
  const [owner, ada, bea, cy, dan] = await Promise.all([forge.user(), forge.user(), forge.user(), forge.user(), forge.user()])
  const external = await forge.user({ external: true })
  const fields = { title: 'Useful', file_name: 'a.txt', content: 'text', visibility: 'internal' }
  const { body: snippet } = await forge.as(owner).post('/snippets', fields)
  await sets(cy, null, { level: 'disabled' })
  await sets(dan, null, { level: 'mention' })
  const first = await createComment(forge.app, ada, snippet, `**See** @${dan.username} @${external.username} @${cy.username} @all`)
  expect(await told()).toEqual(addresses(owner, dan))
  const [{ mail }] = server.received.filter(({ to }) => to === dan.email) as [(typeof server.received)[0]]
  const host = forge.app.config.hostname
  expect([mail.subject, mail.inReplyTo, mail.headers.get('x-gitlab-notificationreason')]).toEqual([
    `Re: Useful ($${snippet.id})`,
    `<snippet_${snippet.id}@${host}>`,
    'mentioned',
  ])
  expect([mail.headers.get('x-gitlab-personalsnippet-id'), mail.from?.value[0]?.name]).toEqual([String(snippet.id), ada.name])
  expect(mail.text).toMatch(new RegExp(`\\*\\*See[\\s\\S]+/snippets/${snippet.id}#note_${first.id}`))
  expect(mail.html).toContain('<strong>See</strong>')
  server.received.splice(0)

  await createComment(forge.app, bea, snippet, 'Second')
  expect(await told()).toEqual(addresses(owner, ada))
  server.received.splice(0)

  await changeComment(forge.app, ada, first, `${first.body} and @${bea.username}`)
  expect(await told()).toEqual(addresses(bea))
  expect(server.received[0]?.mail.text).toContain(`${ada.name} mentioned you in a comment on snippet $${snippet.id}:`)
  server.received.splice(0)

  await forge.as(owner).put(`/snippets/${snippet.id}`, { visibility: 'private' })
  await createComment(forge.app, owner, snippet, `@${bea.username}`)
  const gone = await createComment(forge.app, ada, snippet, 'Gone before anybody is told')
  await removeComment(forge.app, gone)
  expect(await told()).toEqual([])
})

test('a comment on a snippet reaches its author and those who commented, threaded below it', async () => {
  const { owner, ada, bea, project } = await cast()
  const { body: snippet } = await forge
    .as(owner)
    .post(`/projects/${project.id}/snippets`, { title: 'Useful', file_name: 'a.txt', code: 'text', visibility: 'private' })
  const notes = `/projects/${project.id}/snippets/${snippet.id}/notes`
  await forge.as(ada).post(notes, { body: 'First' })
  expect(await told()).toEqual(addresses(owner))
  const { mail } = server.received[0] as (typeof server.received)[0]
  expect([mail.subject, mail.inReplyTo]).toEqual([
    `Re: ${project.name} | Useful ($${snippet.id})`,
    `<snippet_${snippet.id}@${forge.app.config.hostname}>`,
  ])
  expect(mail.text).toMatch(new RegExp(`snippets/${snippet.id}#note_\\d+`))
  server.received.splice(0)
  await forge.as(bea).post(notes, { body: 'Second' })
  expect(await told()).toEqual(addresses(owner, ada))
})

test('a comment on a commit reaches its author by their confirmed address, and those who commented', async () => {
  const { owner, ada, bea } = await cast()
  const code = await forge.project({ owner, developer: ada, reporter: bea })
  const file = { branch: 'main', content: 'new', commit_message: 'Explain <it>\n\nLong', author_email: ada.email, author_name: 'A' }
  await forge.as(owner).post(`/projects/${code.id}/repository/files/new.txt`, file)
  const { body: commit } = await forge.as(owner).get(`/projects/${code.id}/repository/commits/main`)
  await forge.as(bea).post(`/projects/${code.id}/repository/commits/${commit.id}/comments`, { note: 'Why?' })
  expect(await told()).toEqual(addresses(ada))
  const { mail } = server.received[0] as (typeof server.received)[0]
  expect(mail.subject).toBe(`Re: ${code.name} | Explain <it> (${commit.id.slice(0, 8)})`)
  expect(mail.headers.get('x-gitlab-commit-id')).toBe(commit.id)
  server.received.splice(0)
  await forge.as(ada).post(`/projects/${code.id}/repository/commits/${commit.id}/comments`, { note: 'Because.' })
  expect(await told()).toEqual(addresses(bea))
})

test('who is mentioned only since a text was changed hears of it, once, and nobody else does', async () => {
  const { owner, ada, bea, cy, project } = await cast()
  await sets(cy, project, { level: 'watch' })
  const issue = await forge.issue(project, owner, { description: `For @${ada.username}` })
  const { body: note } = await forge.as(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'Nobody' })
  await told()
  server.received.splice(0)
  const at = `/projects/${project.id}/issues/${issue.iid}`
  await forge.as(owner).put(at, { description: `For @${ada.username} and @${bea.username}` })
  await forge.as(owner).put(at, { description: `@${bea.username}, for @${ada.username}` })
  expect(await told()).toEqual(addresses(bea))
  expect(server.received[0]?.mail.text).toContain(`${owner.name} mentioned you in issue #${issue.iid}:`)
  server.received.splice(0)
  await forge.as(owner).put(`${at}/notes/${note.id}`, { body: `Now @${cy.username}` })
  expect(await told()).toEqual(addresses(cy))
  expect(server.received[0]?.mail.text).toContain(`mentioned you in a comment on issue #${issue.iid}:`)
})

test('each of the twelve switches sends mail for its own event only, to the users who chose it and to watchers', async () => {
  const owner = await forge.user()
  const project = await forge.project({ owner, visibility: 'private' })
  const member = async (level: string, chosen: object = {}) => {
    const user = await forge.user()
    await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 30 })
    await sets(user, project, { level, ...chosen })
    return user
  }
  const names = switches.filter((name) => !name.endsWith('_pipeline'))
  expect(names.length).toBe(12)
  const choosers = new Map<string, TestUser>()
  for (const name of names) choosers.set(name, await member('custom', { [name]: true }))
  for (const level of ['custom', 'participating', 'mention', 'disabled', 'global']) await member(level)
  const watcher = await member('watch')
  const [ada, bea] = [await member('disabled'), await member('disabled')]
  await told()
  const at = `/projects/${project.id}`
  const client = forge.as(owner)
  await client.post(`${at}/repository/branches`, { branch: 'change', ref: 'main' })
  const commit = (file: string) => client.post(`${at}/repository/files/${file}`, { branch: 'change', content: 'x', commit_message: file })
  await commit('one')
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 10)
  const issue = (body: object) => client.put(`${at}/issues/1`, body)
  const request = (body: object) => client.put(`${at}/merge_requests/1`, body)
  const acts: Array<[name: NotificationSwitch, act: () => Promise<unknown>]> = [
    ['new_issue', () => client.post(`${at}/issues`, { title: 'Leak', due_date: tomorrow, assignee_ids: [ada.id] })],
    ['new_note', () => client.post(`${at}/issues/1/notes`, { body: 'It drips' })],
    ['reassign_issue', () => issue({ assignee_ids: [bea.id] })],
    ['issue_due', () => dueIssuesJob.handle(forge.app, {})],
    ['close_issue', () => issue({ state_event: 'close' })],
    ['reopen_issue', () => issue({ state_event: 'reopen' })],
    ['new_merge_request', () => client.post(`${at}/merge_requests`, { source_branch: 'change', target_branch: 'main', title: 'Mend' })],
    ['push_to_merge_request', () => commit('two')],
    ['reassign_merge_request', () => request({ assignee_id: bea.id })],
    ['close_merge_request', () => request({ state_event: 'close' })],
    ['reopen_merge_request', () => request({ state_event: 'reopen' })],
    ['merge_merge_request', () => client.put(`${at}/merge_requests/1/merge`)],
  ]
  expect(acts.map(([name]) => name).sort()).toEqual([...names].sort())
  for (const [name, act] of acts) {
    server.received.splice(0)
    await act()
    const isTooMuch = name === 'push_to_merge_request' || name === 'issue_due'
    // A due date has no actor: its author hears of it, too.
    const expected = [choosers.get(name) as TestUser, ...(isTooMuch ? [] : [watcher]), ...(name === 'issue_due' ? [owner] : [])]
    expect([name, await told()]).toEqual([name, addresses(...expected)])
  }
})
