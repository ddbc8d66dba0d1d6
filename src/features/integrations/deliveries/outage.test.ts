/** A receiver that is down for long loses nothing, and is not flooded when it is back; what can't be made holds up nothing for long. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitReading } from '../../../../test/support/git.ts'
import { atEndOfFile } from '../../../../test/support/run/cleanup.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { makeBody } from '../payloads/payloads.ts'
import { sendJob, webhookJobs } from './deliveries.jobs.ts'
import { sendAll } from './deliveries.service.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject
let isDown = false
/** By `after` of the pushes that arrived. */
let received: string[] = []
let calls = 0
let underWay = 0
let most = 0
const receiver = createServer((request, response) => {
  calls += 1
  underWay += 1
  most = Math.max(most, underWay)
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    underWay -= 1
    if (!isDown) received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')).after)
    response.writeHead(isDown ? 503 : 200).end()
  })
})

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => new Promise<void>((resolve) => receiver.close(() => resolve())))
})

beforeEach(async () => {
  await forge.app.db.deleteFrom('hooks').execute()
  project = await forge.project({ maintainer })
  await forge.drain()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  await forge.as(maintainer).post(`/projects/${project.id}/hooks`, { url })
  ;[received, calls, most, isDown] = [[], 0, 0, false]
})

/** So many commits, each pushed by itself, as the service hears of them. @returns their ids in order */
async function push(count: number): Promise<string[]> {
  const first = await git(project.dir, 'rev-parse', 'main')
  const commit = (index: number) =>
    `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\ndata <<E\nCommit\nE\n${index === 0 ? `from ${first}\n` : ''}`
  await gitReading(project.dir, Array.from({ length: count }, (_, index) => commit(index)).join('\n'), 'fast-import', '--quiet')
  const pushed = (await git(project.dir, 'rev-list', '--reverse', `${first}..main`)).split('\n')
  const state = { default_branch: 'main', has_new_default_branch: false, readme_path: null, at: new Date().toISOString() }
  for (const [index, after] of pushed.entries()) {
    const change = { ref: 'refs/heads/main', before: pushed[index - 1] ?? first, after }
    await inTransaction(forge.app.db, (tx) =>
      publish(tx, { type: 'refs_pushed', project_id: project.id, user_id: maintainer.id, changes: [change], ...state }),
    )
  }
  return pushed
}

const restUntil = (rests_until: string | null) => forge.app.db.updateTable('hooks').set({ rests_until }).execute()
const send = () => sendJob.handle(forge.app, {})

async function survives(count: number): Promise<void> {
  isDown = true
  const pushed = await push(count)
  for (let look = 0; look < 3; look += 1) await send()
  // It rests after each failure, ever longer: nobody knocks once for each push.
  expect([calls < 5, received]).toEqual([true, []])
  isDown = false
  await restUntil('2999-01-01T00:00:00.000Z')
  await send()
  expect(received).toEqual([])
  await restUntil(null)
  await send()
  expect([received, most]).toEqual([pushed, 1])
  // Works off other jobs of the thousand pushes now, so that their time doesn't count for the next test.
  await forge.drain()
}

test(
  'twenty pushes to a hook that is down are sent one by one and in order when it is back',
  inFullRun('Half a second of processor. `deliveries.test.ts` delivers in order what waits while a receiver is down.'),
  () => survives(20),
)

test(
  'a thousand pushes to a hook that is down are all sent, one by one and in order, when it is back',
  {
    ...inFullRun('1,000 payloads and 1,000 requests; the test before it has twenty.'),
    timeout: 300_000,
  },
  () => survives(1_000),
)

test('a payload that can not be made is tried five times, ever later, then given up with the reason; what follows is sent', async () => {
  const [first, second] = await push(2)
  let tries = 0
  const making = (facts: string) => {
    if (!facts.includes(`"after":"${first}"`)) return makeBody(forge.app, facts)
    tries += 1
    throw new Error('it can not be made')
  }
  const look = () => sendAll(forge.app, (_, facts) => making(facts), new AbortController().signal)
  await look()
  await look()
  expect([tries, received]).toEqual([1, []])
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    await forge.app.db
      .updateTable('hook_payloads')
      .set({ retry_at: '2000-01-01T00:00:00.000Z' })
      .where('retry_at', 'is not', null)
      .execute()
    await forge.app.db.updateTable('hooks').set({ sending_until: null }).execute()
    await look()
    expect(tries).toBe(attempt)
  }
  expect(received).toEqual([second])
  const [hook] = (await forge.as(maintainer).get(`/projects/${project.id}/hooks`)).body
  const log = (await forge.as(maintainer).get(`/projects/${project.id}/hooks/${hook.id}/events`)).body
  expect(log.map(({ state }: { state: string }) => state)).toEqual(['delivered', 'failed'])
  expect(log[1].internal_error_message).toBe('Its payload could not be made: the log of the server tells why')
})

test('the log keeps what is younger than 14 days, and nothing else', async () => {
  await push(2)
  await send()
  const { db } = forge.app
  const [{ id = 0 } = {}] = await db.selectFrom('hook_payloads').select('id').orderBy('id').execute()
  const old = new Date(Date.now() - 15 * 24 * 3_600_000).toISOString()
  await db.updateTable('hook_payloads').set({ created_at: old }).where('id', '=', id).execute()
  const before = await db.selectFrom('hook_deliveries').select('payload_id').execute()
  await webhookJobs.find(({ name }) => name === 'webhooks.prune')?.handle(forge.app, {})
  const after = await db.selectFrom('hook_deliveries').select('payload_id').execute()
  expect(after).toEqual(before.filter(({ payload_id }) => payload_id !== id))
})
