/** One push with git, and all who see it: a webhook, a chat, mail, a pipeline, a CI server elsewhere, a mirror, and what a chat then asks for. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { browserOf } from '../support/browser.ts'
import { openForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { mailServer } from '../support/mail-server.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { clone, commit } from './git/wire.ts'

interface Seen {
  at: string
  headers: IncomingHttpHeaders
  body: string
}

async function receiver() {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ at: `${request.method} ${request.url}`, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      response.setHeader('content-type', 'application/json')
      response.end(request.url?.includes('/status/') ? '{"status":"success"}' : '{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.address() as AddressInfo
  return { seen, url: `http://127.0.0.1:${port}`, find: (at: string) => seen.find((one) => one.at.startsWith(at)) }
}

test('a push is seen by a hook, a chat, mail, two kinds of CI and a mirror, and the chat answers it', {
  ...inFullRun('2 s of processor. Each of those who see it is tested beside its feature.'),
  timeout: 120_000,
}, async () => {
  const mail = await mailServer()
  const forge = await openForge({ config: { mail: mail.config } })
  const world = await receiver()
  const ada = await forge.user({ name: 'Ada', password: 'correct horse battery' })
  const root = forge.as(forge.root)
  expect((await root.put('/application/settings', { allow_local_requests_from_hooks_and_services: true })).status).toBe(200)
  const project = await forge.project({ owner: ada, files: { '.gitlab-ci.yml': 'unit: {script: [make]}\n' } })
  const copy = await forge.project({ owner: ada, files: null })
  const at = (path: string) => `/projects/${project.id}${path}`
  const did = async (method: 'post' | 'put', path: string, body: object) => {
    const answer = await forge.as(ada)[method](at(path), body)
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.body
  }

  // Ada connects the project with everything around it.
  const key = Buffer.alloc(32, 9)
  await did('post', '/hooks', { url: `${world.url}/hook`, signing_token: `whsec_${key.toString('base64')}`, pipeline_events: true })
  await did('put', '/services/slack', { webhook: `${world.url}/chat`, notify_only_default_branch: false })
  await did('put', '/services/emails-on-push', { recipients: 'team@example.com' })
  await did('put', '/services/mock-ci', { mock_service_url: world.url })
  await did('put', '/services/slack-slash-commands', { token: 'from-slack' })
  await did('post', '/remote_mirrors', { url: await forge.remote(copy, ada), enabled: true })
  await forge.drain()
  world.seen.length = 0

  // She pushes a branch.
  const folder = await clone(await forge.remote(project, ada))
  await git(folder, 'switch', '--quiet', '--create', 'valve')
  const sha = await commit(folder, { 'valve.txt': 'tight\n' }, 'Tighten the valve')
  await git(folder, 'push', '--quiet', 'origin', 'valve')
  await forge.drain()
  await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('state', '=', 'ready').execute()
  await forge.drain()

  // The hook has it, signed.
  const hook = world.seen.find((one) => one.at === 'POST /hook' && one.headers['x-gitlab-event'] === 'Push Hook')
  expect(JSON.parse(hook?.body ?? '{}')).toMatchObject({ ref: 'refs/heads/valve', after: sha, commits: [{ title: 'Tighten the valve' }] })
  const signed = `${hook?.headers['webhook-id']}.${hook?.headers['webhook-timestamp']}.${hook?.body}`
  expect(hook?.headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  // The chat reads a sentence.
  expect(JSON.stringify(JSON.parse(world.find('POST /chat')?.body ?? '{}'))).toContain('Ada pushed new branch')
  // The team gets mail.
  expect(mail.received.map((one) => [one.to, one.mail.subject])).toContainEqual([
    'team@example.com',
    `[Git][${project.full_path}] Pushed new branch valve`,
  ])
  // A pipeline runs, and a server elsewhere has built it.
  const statuses = (await forge.as(ada).get(at(`/repository/commits/${sha}/statuses`))).body
  expect(statuses).toContainEqual(
    expect.objectContaining({ name: 'mock-ci', status: 'success', target_url: `${world.url}/${project.full_path}/status/${sha}` }),
  )
  expect((await forge.as(ada).get(at('/pipelines?ref=valve'))).body).toMatchObject([{ sha }])
  const pipelineHook = world.seen.find((one) => one.headers['x-gitlab-event'] === 'Pipeline Hook')
  expect(JSON.parse(pipelineHook?.body ?? '{}').object_attributes).toMatchObject({ ref: 'valve', sha })
  // The mirror has the branch.
  expect(await git(copy.dir, 'rev-parse', 'valve')).toBe(sha)

  // In the chat she connects her account, and files what is left to do.
  const type = (text: string) =>
    forge.anonymous.post(at('/services/slack_slash_commands/trigger'), {
      ...{ token: 'from-slack', team_id: 'T', team_domain: 'water', user_id: 'U', user_name: 'ada', command: '/forge' },
      text,
    })
  const [, link = ''] = /<https?:\/\/[^/]+(\/[^|]+)\|/.exec((await type('help')).body.text) ?? []
  const browser = browserOf(forge.server)
  await browser.submit('/users/sign_in', '/users/sign_in', { login: ada.username, password: 'correct horse battery' })
  expect((await browser.submit(link, '/profile/chat_names', { decision: 'allow' })).status).toBe(303)
  expect((await type('issue new Grease the valve')).body).toMatchObject({ response_type: 'in_channel' })
  expect((await forge.as(ada).get(at('/issues'))).body).toMatchObject([{ title: 'Grease the valve', author: { id: ada.id } }])
})
