/** Slash commands of chats: who may ask, as whom they act, and what is answered. */
import { beforeAll, expect, test } from 'vitest'
import { altered } from '../../../../test/support/altered.ts'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { runJob } from '../../../../test/support/fixtures/ci-runs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { requestedConnection } from './chat-names.service.ts'

const file = `
stages: [deploy, promote]
staging: {stage: deploy, script: [x], environment: staging}
production: {stage: promote, script: [x], when: manual, environment: production}
end: {stage: promote, script: [x], when: manual, environment: {name: production, action: stop}}
`
const password = 'correct horse battery'
const mine = '/profile/chat_names'
let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let other: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer] = [await forge.user(), await forge.user({ password })]
  project = await forge.project({ maintainer, developer, commits: [{ message: 'First', files: { '.gitlab-ci.yml': file } }] })
  other = await forge.project({ developer })
  await forge.as(maintainer).put(`/projects/${project.id}/services/slack-slash-commands`, { token: 'chat-token' })
  await forge.as(maintainer).put(`/projects/${project.id}/services/mattermost-slash-commands`, { token: 'other-token' })
})

const trigger = (slug = 'slack_slash_commands', { id }: { id: number | string } = project) => `/projects/${id}/services/${slug}/trigger`
const from = (user_id: string) => ({ team_id: 'T1', team_domain: 'water', user_id, user_name: `<${user_id}>`, command: '/forge' })
const type = (user_id: string, text: string) => forge.anonymous.post(trigger(), { token: 'chat-token', ...from(user_id), text })

/** As the user does it: a link is answered, and its page has the button. */
async function connect(user: TestUser, user_id: string): Promise<string> {
  const { body } = await type(user_id, 'help')
  const [, link = ''] = /<https?:\/\/[^/]+(\/[^|]+)\|/.exec(body.text) ?? []
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })
  const page = await me.get(link)
  expect([page.status, readDocument(page.text).faults]).toEqual([200, []])
  const sent = await me.submit(link, mine, { decision: 'allow' })
  expect([sent.status, await noticeAt(me, mine)]).toEqual([303, 'The chat is connected. Type your command again.'])
  return link
}

test('a wrong token is 404, whether the project and the integration exist or not', async () => {
  const none = [404, { message: '404 Service Not Found' }]
  const ask = async (at: string, token: unknown) => {
    const { status, body } = await forge.anonymous.post(at, { ...from('U0'), text: 'help', token })
    return [status, body]
  }
  expect(await ask(trigger(), 'wrong')).toEqual(none)
  expect(await ask(trigger(), '')).toEqual(none)
  expect(await ask(trigger(), 'other-token')).toEqual(none)
  expect(await ask(trigger('slack'), 'chat-token')).toEqual(none)
  expect(await ask(trigger('unheard_of'), 'chat-token')).toEqual(none)
  expect(await ask(trigger(undefined, other), 'chat-token')).toEqual(none)
  expect(await ask(trigger(undefined, other), '')).toEqual(none)
  expect(await ask(trigger(undefined, { id: 'no%2Fwhere' }), 'chat-token')).toEqual(none)
  expect((await ask(trigger(), undefined))[0]).toBe(400)
  expect((await ask(trigger(), ['chat-token']))[0]).toBe(400)
  expect((await forge.anonymous.post(trigger(), { token: 'chat-token', ...from('U0'), text: 'x'.repeat(70_000) })).status).toBe(400)
})

test('an integration that is off answers nothing, and templates are no integrations', async () => {
  const at = `/projects/${other.id}/services/slack-slash-commands`
  const ask = () => forge.anonymous.post(trigger('slack-slash-commands', other), { token: 'a', ...from('U0') })
  await forge.as(forge.root).put(at, { token: 'a' })
  expect((await ask()).status).toBe(200)
  await forge.as(forge.root).put(at, { token: 'a', active: false })
  expect((await ask()).status).toBe(404)
})

test('chats send forms, with fields that nobody asked for', async () => {
  const form = new URLSearchParams({ token: 'chat-token', ...from('U0'), text: 'help', channel_id: 'C', response_url: 'https://x.example' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await forge.anonymous.request('POST', trigger(), form.toString(), { headers })
  expect([status, body.text]).toEqual([200, expect.stringContaining('connect your account')])
})

test('users who are not connected get a link to connect, and users whom the chat does not name get none; nothing is done', async () => {
  const unknown = await type('U1', 'issue new Not yet')
  expect([unknown.status, unknown.body.response_type, unknown.body.status]).toEqual([200, 'ephemeral', 200])
  expect(unknown.body.text).toMatch(
    /^Before anything is done for you, please <http.*\/profile\/chat_names\/new\?token=v1\..*\|connect your account>\.$/,
  )
  const unnamed = await forge.anonymous.post(trigger(), { token: 'chat-token', text: 'help' })
  expect(unnamed.body.text).toBe('The chat did not say who you are, so nothing was done.')
  expect((await forge.as(developer).get(`/projects/${project.id}/issues`)).body).toEqual([])
})

test('a link connects one user of the chat, once, for ten minutes; it is listed and can be taken back', async () => {
  const link = await connect(developer, 'U2')
  const token = new URL(link, 'http://x').searchParams.get('token') ?? ''
  await expect(requestedConnection(forge.app, token, new Date(Date.now() + 11 * 60_000))).rejects.toMatchObject({ code: 'not_found' })
  await expect(requestedConnection(forge.app, altered(token), new Date())).rejects.toMatchObject({ code: 'not_found' })
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: developer.username, password })
  expect((await me.submit(link, mine, { decision: 'allow' })).status).toBe(409)
  expect((await me.submit(link, mine, { decision: 'deny' })).status).toBe(303)
  for (const wrong of ['', '?token=', '?token=v1.x', '?token=%3Cb%3E']) expect((await me.get(`${mine}/new${wrong}`)).status).toBe(404)
  const list = await me.get(mine)
  expect([readDocument(list.text).faults, list.text.includes('&lt;U2&gt;'), list.text.includes(project.full_path)]).toEqual([
    [],
    true,
    true,
  ])
  const [action = ''] = /\/profile\/chat_names\/\d+\/delete/.exec(list.text) ?? []
  const someoneElse = browserOf(forge.server)
  const stranger = await forge.user({ password })
  await someoneElse.submit('/users/sign_in', '/users/sign_in', { login: stranger.username, password })
  expect((await someoneElse.get(mine)).text).not.toContain('&lt;U2&gt;')
  expect((await someoneElse.submit(link, mine, { decision: 'allow' })).status).toBe(409)
  expect((await me.submit(mine, action)).status).toBe(303)
  expect((await type('U2', 'help')).body.text).toContain('connect your account')
})

test('issues are created, shown, found, commented on, closed and moved in the name of the user', async () => {
  await connect(developer, 'U3')
  const help = (await type('U3', 'help')).body
  expect([help.response_type, help.text.split('\n')[0], help.text]).toEqual([
    'ephemeral',
    'Available commands:',
    expect.stringContaining('- /forge issue show'),
  ])
  expect((await type('U3', 'dance')).body.text).toMatch(/^Unknown command/)
  const made = (await type('U3', 'issue new The <!channel> | valve @all leaks\nIn the *cellar*')).body
  expect([made.response_type, made.attachments[0].author_name, made.attachments[0].title]).toEqual([
    'in_channel',
    developer.name,
    'The &lt;!channel&gt; | valve @\u200ball leaks · #1',
  ])
  const issue = async (id = project.id, iid = 1) => (await forge.as(developer).get(`/projects/${id}/issues/${iid}`)).body
  expect(await issue()).toMatchObject({
    title: 'The <!channel> | valve @all leaks',
    description: 'In the *cellar*',
    author: { id: developer.id },
  })
  expect((await type('U3', 'issue comment 1 On\nit')).body.response_type).toBe('in_channel')
  const shown = (await type('U3', 'issue show #1')).body
  expect([shown.response_type, shown.attachments[0].text, shown.attachments[0].title_link]).toEqual([
    'in_channel',
    '*Open* · 1 comment',
    (await issue()).web_url,
  ])
  const found = (await type('U3', 'issue search valve')).body
  expect([found.response_type, found.text, found.attachments.length]).toEqual(['ephemeral', 'One issue was found:', 1])
  expect((await type('U3', 'issue search nowhere')).body.text).toMatch(/^Nothing was found/)
  expect((await type('U3', 'issue close 1')).body.response_type).toBe('in_channel')
  expect((await issue()).state).toBe('closed')
  expect((await type('U3', 'issue close 1')).body.text).toBe('Issue #1 is closed already.')
  expect((await type('U3', `issue move 1 to ${other.full_path}`)).body.attachments[0].pretext).toBe(
    `Moved #1 of ${project.full_path} to ${other.full_path}`,
  )
  expect(await issue(other.id)).toMatchObject({ title: 'The <!channel> | valve @all leaks' })
  expect((await type('U3', `issue move 1 to ${other.full_path}`)).body.text).toContain('Cannot move issue due to insufficient permissions!')
  expect((await type('U3', `issue new ${'x'.repeat(300)}`)).body.text).toContain('title is too long')
})

test('what is confidential is answered to the one who asked, and what they may not see or do is not done', async () => {
  const { body } = await forge.as(maintainer).post(`/projects/${project.id}/issues`, { title: 'Secret', confidential: true })
  await connect(developer, 'U4')
  expect((await type('U4', `issue show ${body.iid}`)).body).toMatchObject({ response_type: 'ephemeral', attachments: [{}] })
  const stranger = await forge.user({ password })
  await connect(stranger, 'U5')
  for (const text of ['help', `issue show ${body.iid}`, 'issue new Mine', 'issue search Secret', 'deploy staging to production'])
    expect((await type('U5', text)).body).toEqual({ response_type: 'ephemeral', status: 200, text: 'You are not allowed to do this.' })
  const guest = await forge.user({ password })
  await forge.as(maintainer).post(`/projects/${project.id}/members`, { user_id: guest.id, access_level: 10 })
  await connect(guest, 'U6')
  expect((await type('U6', `issue show ${body.iid}`)).body.text).toMatch(/^Nothing was found/)
  expect((await type('U6', 'deploy staging to production')).body.text).not.toContain('started')
  await writeSettings(forge.app.db, { enforce_terms: true, terms: 'Be kind' })
  expect((await type('U6', 'help')).body.text).toMatch(/^Before anything .* <.*\/-\/terms\|accept the terms of service>/)
  await writeSettings(forge.app.db, { enforce_terms: false })
  await forge.as(forge.root).post(`/users/${guest.id}/block`)
  expect((await type('U6', 'help')).body.text).toBe('You are not allowed to do this.')
})

test('what is in one environment is deployed to another by the manual job of its pipeline', async () => {
  await connect(developer, 'U7')
  await forge.as(developer).post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await forge.drain()
  const [pipeline] = (await forge.as(maintainer).get(`/projects/${project.id}/pipelines?ref=topic`)).body
  expect((await type('U7', 'deploy staging to production')).body.text).toBe(
    'There is no manual job that deploys from staging to production.',
  )
  await runJob(forge, pipeline.id, 'staging', 'success')
  await forge.drain()
  const started = (await type('U7', 'deploy staging to production')).body
  expect([started.response_type, started.text]).toEqual([
    'in_channel',
    expect.stringMatching(/^Deployment from staging to production started: <.*\|job production>\.$/),
  ])
  const jobs = (await forge.as(maintainer).get(`/projects/${project.id}/pipelines/${pipeline.id}/jobs`)).body
  expect(jobs.find(({ name }: { name: string }) => name === 'production')).toMatchObject({ status: 'pending', user: { id: developer.id } })
  expect((await type('U7', 'deploy production to staging')).body.text).toMatch(/^There is no manual job/)
})
