/** Receivers that hang delay nobody else: turns are limited for each host, and for each project. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { sendJob } from './deliveries.jobs.ts'
import { insertDeliveries } from './deliveries.queries.ts'

let forge: Forge
let maintainer: TestUser
let held: ServerResponse[] = []
let hangs = true
let port = 0
const received: string[] = []
/** The most that were under way at once. */
let most = 0
let underWay = 0
const receiver = createServer((request, response) => {
  request.resume()
  if (hangs && request.url !== '/good') held.push(response)
  else {
    received.push(request.url === '/bodies' ? String(request.headers['idempotency-key']) : (request.url ?? ''))
    underWay += 1
    most = Math.max(most, underWay)
    request.once('end', () => {
      underWay -= 1
      response.end()
    })
  }
})

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  // Each address of 127.0.0.0/8 is a host of its own.
  await new Promise<void>((resolve) => receiver.listen(0, '0.0.0.0', resolve))
  port = (receiver.address() as AddressInfo).port
})

beforeEach(() => {
  held = []
  hangs = true
  received.length = 0
})

afterAll(() => void receiver.close())

const commit = ({ id }: { id: number }) =>
  forge.as(maintainer).post(`/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Add a file',
    actions: [{ action: 'create', file_path: crypto.randomUUID(), content: '1' }],
  })

/** Lets go of what hangs, and waits until all is sent. */
async function release(sending: Promise<void>): Promise<void> {
  hangs = false
  for (const response of held) response.end()
  await sending
  await forge.app.db.deleteFrom('hooks').execute()
}

test('a project whose receivers hang on many hosts has eight turns, and others are sent theirs', async () => {
  const [crowded, other] = [await forge.project({ maintainer }), await forge.project({ maintainer })]
  await forge.drain()
  for (let host = 2; host < 12; host += 1) {
    await forge.as(maintainer).post(`/projects/${crowded.id}/hooks`, { url: `http://127.0.0.${host}:${port}/hangs` })
  }
  await forge.as(maintainer).post(`/projects/${other.id}/hooks`, { url: `http://127.0.0.20:${port}/good` })
  await commit(crowded)
  await commit(other)

  const sending = forge.drain()

  await expect.poll(() => [held.length, received]).toEqual([8, ['/good']])
  await release(sending)
  expect(held.length + received.length).toBe(11)
})

test(
  'integrations of many projects that lead to one host have four turns, and other hosts theirs',
  inFullRun('2 s of processor. The queue gives turns to projects and to hosts alike; the test above has both.'),
  async () => {
    const projects = []
    for (let index = 0; index < 6; index += 1) projects.push(await forge.project({ maintainer }))
    await forge.drain()
    for (const [index, { id }] of projects.entries()) {
      const webhook = index < 5 ? `http://127.0.0.30:${port}/hangs` : `http://127.0.0.31:${port}/good`
      await forge.as(maintainer).put(`/projects/${id}/services/plain-json`, { webhook })
    }
    for (const project of projects) await commit(project)

    const sending = forge.drain()

    await expect.poll(() => [held.length, received]).toEqual([4, ['/good']])
    await release(sending)
    expect(held.length + received.length).toBe(6)
  },
)

test('hundreds of deliveries that waited while a receiver was down come one after the other, in their order', {
  ...inFullRun('300 requests; deliveries.test.ts has three of them in the gate.'),
  timeout: 120_000,
}, async () => {
  const project = await forge.project({ maintainer })
  await forge.drain()
  const { body: hook } = await forge.as(maintainer).post(`/projects/${project.id}/hooks`, { url: `http://127.0.0.40:${port}/bodies` })
  const payloads = Array.from({ length: 300 }, () => ({ event: 'Push Hook', body: '{}', facts: null }))
  await inTransaction(forge.app.db, (tx) => insertDeliveries(tx, [{ id: hook.id, event: 'Push Hook' }], payloads))
  const rows = await forge.app.db.selectFrom('hook_deliveries').select('uuid').where('hook_id', '=', hook.id).orderBy('id').execute()
  hangs = false
  most = 0

  await sendJob.handle(forge.app, {})

  expect(received).toEqual(rows.map(({ uuid }) => uuid))
  expect(most).toBe(1)
})
