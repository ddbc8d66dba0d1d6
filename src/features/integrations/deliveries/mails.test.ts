/** Mail of integrations about pushes and pipelines, as a real SMTP server gets it. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { runJob } from '../../../../test/support/fixtures/ci-runs.ts'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'
import { type MailServer, mailServer } from '../../../../test/support/mail-server.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'

let forge: Forge
let server: MailServer
let maintainer: TestUser
let isBusy = false
beforeAll(async () => {
  server = await mailServer({
    onRcptTo({ address }, _, callback) {
      const code = address.startsWith('gone') ? 550 : address.startsWith('busy') && isBusy ? 451 : 0
      callback(code === 0 ? null : Object.assign(new Error('No'), { responseCode: code }))
    },
  })
  forge = await openForge({ config: { mail: server.config, hostname: 'git.example.com' } })
  maintainer = await forge.user()
})
beforeEach(() => void server.received.splice(0))

const client = () => forge.as(maintainer)
const at = ({ id }: TestProject, rest: string) => `/projects/${id}/services/${rest}`
const push = (project: TestProject, file: string, branch = 'main') =>
  client().post(`/projects/${project.id}/repository/commits`, {
    branch,
    commit_message: `Add ${file}`,
    actions: [{ action: 'create', file_path: file, content: `the text of ${file}\n` }],
  })

async function send(): Promise<string[]> {
  const { db } = forge.app
  await forge.drain()
  await db.updateTable('hooks').set({ rests_until: null }).execute()
  await db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'webhooks.send').execute()
  await forge.drain()
  return server.received.map(({ to }) => to).sort()
}

test('each recipient gets the commits and the diff of a push, and nobody else sees who the others are', async () => {
  const project = await forge.project({ maintainer })
  await client().put(at(project, 'emails-on-push'), {
    recipients: 'a@example.com\nb@example.com, no-address <c@example.com>\r\nBcc:d@example.com',
  })
  await push(project, 'valve')
  expect(await send()).toEqual(['a@example.com', 'b@example.com'])
  const [{ mail }] = server.received as [(typeof server.received)[0]]
  expect(mail.subject).toBe(`[Git][${project.full_path}][main] Add valve`)
  expect(mail.from?.value[0]).toMatchObject({ name: maintainer.name, address: 'forge@example.com' })
  expect(mail.headers.get('x-gitlab-project-path')).toBe(project.full_path)
  for (const words of [`${maintainer.name} pushed to branch main`, 'Add valve', '+ valve', '+the text of valve', '/compare/'])
    expect(mail.text).toContain(words)
  expect(mail.html).toContain('+the text of valve')
  expect(JSON.stringify([...mail.headers])).not.toContain('b@example.com')
  const [{ body }] = (await client().get(at(project, 'emails-on-push/events'))).body.map((event: { response_body: string }) => ({
    body: event.response_body,
  }))
  expect(body).toBe('a@example.com: sent\nb@example.com: sent')
})

test('diffs are left out where that is wanted; new and deleted branches and tags are told without', async () => {
  const project = await forge.project({ maintainer })
  await client().put(at(project, 'emails-on-push'), { recipients: 'a@example.com', disable_diffs: true, send_from_committer_email: true })
  await push(project, 'pump')
  await client().post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await client().post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  await client().delete(`/projects/${project.id}/repository/branches/topic`)
  await send()
  const subjects = server.received.map(({ mail }) => mail.subject?.replace(`[Git][${project.full_path}]`, ''))
  expect(subjects).toEqual(['[main] Add pump', ' Pushed new branch topic', ' Pushed new tag v1', ' Deleted branch topic'])
  for (const { mail } of server.received) expect(mail.text).not.toContain('the text of pump')
  // The test's users have addresses of the domain of the server.
  expect(server.received[0]?.mail.from?.value[0]?.address).toBe(maintainer.email)
})

test('an address elsewhere is not sent from', async () => {
  const elsewhere = await forge.user({ email: 'ada@elsewhere.example.org' })
  const project = await forge.project({ maintainer: elsewhere })
  await forge.as(elsewhere).put(at(project, 'emails-on-push'), { recipients: 'a@example.com', send_from_committer_email: true })
  await forge.as(elsewhere).post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await send()
  expect(server.received.map(({ mail }) => mail.from?.value[0]?.address)).toEqual(['forge@example.com'])
})

test('who was sent to gets nothing twice while another is tried again, and a wrong address keeps nobody waiting', async () => {
  const project = await forge.project({ maintainer })
  await client().put(at(project, 'emails-on-push'), { recipients: 'a@example.com busy@example.com gone@example.com' })
  isBusy = true
  await push(project, 'seal')
  expect(await send()).toEqual(['a@example.com'])
  isBusy = false
  expect(await send()).toEqual(['a@example.com', 'busy@example.com'])
  const [event] = (await client().get(at(project, 'emails-on-push/events'))).body
  expect(event).toMatchObject({
    state: 'delivered',
    attempts: 3,
    response_status: '200',
    response_body: expect.stringContaining('gone@example.com: refused'),
  })
  await client().post(at(project, `emails-on-push/events/${event.id}/resend`))
  expect(await send()).toEqual(['a@example.com', 'a@example.com', 'busy@example.com', 'busy@example.com'])
})

test(
  'pipelines that fail are told with their failed jobs, those that pass only where that is wanted',
  inFullRun('Half a second of processor. `pipeline-mails.test.ts` tells of pipelines that fail, and that the next one fixed it.'),
  async () => {
    const files = { '.gitlab-ci.yml': 'unit: {script: [x]}\nlint: {script: [x], allow_failure: true}' }
    const project = await forge.project({ maintainer, commits: [{ message: 'First', files }] })
    // The user who starts a pipeline gets mail by default, which would be counted here.
    await client().put('/notification_settings', { level: 'disabled' })
    await client().put(at(project, 'pipelines-email'), { recipients: 'a@example.com', notify_only_broken_pipelines: true })
    const run = async (branch: string, status: 'success' | 'failed') => {
      await client().post(`/projects/${project.id}/repository/branches`, { branch, ref: 'main' })
      await forge.drain()
      const [pipeline] = (await client().get(`/projects/${project.id}/pipelines?ref=${branch}`)).body
      await runJob(forge, pipeline.id, 'lint', 'success')
      await runJob(forge, pipeline.id, 'unit', status)
      return pipeline
    }
    await run('good', 'success')
    expect(await send()).toEqual([])
    const broken = await run('bad', 'failed')
    expect(await send()).toEqual(['a@example.com'])
    const [{ mail }] = server.received as [(typeof server.received)[0]]
    expect(mail.subject).toBe(`${project.name} | Pipeline #${broken.id} has failed for bad | ${broken.sha.slice(0, 8)}`)
    for (const words of [`/pipelines/${broken.id}`, 'test: unit', '/-/jobs/']) expect(mail.text).toContain(words)
    expect(mail.text).not.toContain('test: lint')
    await client().put(at(project, 'pipelines-email'), { recipients: 'a@example.com', notify_only_broken_pipelines: false })
    await run('better', 'success')
    await send()
    expect(server.received.at(-1)?.mail.subject).toContain('has succeeded for better')
    expect((await client().post(at(project, 'pipelines-email/test'))).body).toEqual({
      success: true,
      message: 'The host answered with 200',
    })
  },
)

test('without a mail server what would be sent waits, and says why', async () => {
  const forge = await openForge({ config: { mail: null } })
  const owner = await forge.user()
  const project = await forge.project({ maintainer: owner })
  const service = `/projects/${project.id}/services/emails-on-push`
  await forge.as(owner).put(service, { recipients: 'a@example.com' })
  await forge.as(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await forge.drain()
  const [event] = (await forge.as(owner).get(`${service}/events`)).body
  expect(event).toMatchObject({ state: 'waiting', internal_error_message: 'This server sends no mail: GITSTEAD_SMTP_URL is not set' })
})
