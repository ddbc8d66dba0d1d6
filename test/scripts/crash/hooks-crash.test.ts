/** A server that is killed while it delivers to a webhook: what was acknowledged is delivered, in order. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { testForge } from '../../support/forge.ts'
import { atEndOfFile } from '../../support/run/cleanup.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

cpuBudget(14, 'Servers that are killed and started again.')

/** A thousand take a minute. */
const count = Number(process.env.GITSTEAD_TEST_DELIVERIES ?? 120)
const kills = 4

test('none of the deliveries is lost, and none overtakes another', {
  ...inFullRun('4 starts of a server; src/ has what claims and leases do.'),
  timeout: 300_000,
}, async () => {
  const received: { id: string; title: string }[] = []
  let slow_ms = 3
  const receiver = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      received.push({ id: String(request.headers['idempotency-key']), title: JSON.parse(text).object_attributes.title })
      // So that a kill hits a delivery under way.
      setTimeout(() => response.end(), slow_ms)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => void receiver.close())
  const home = await (await testForge()).folder()
  const database = await prepareDataFolder(home)
  atEndOfFile(() => database.drop())
  const start = () => startServer({ home, ...(database.url && { database_url: database.url }) })
  let server: ServerProcess = await start()
  await server.send('PUT', '/application/settings', { allow_local_requests_from_hooks_and_services: true })
  const project = (await (await server.send('POST', '/projects', { name: 'told' })).json()) as { id: number }
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await server.send('POST', `/projects/${project.id}/hooks`, { url, push_events: false, issues_events: true })

  const acknowledged: string[] = []
  for (let index = 0; index < count; index += 1) {
    const title = `issue ${index}`
    const made = await server.send('POST', `/projects/${project.id}/issues`, { title }).catch(() => null)
    if (made?.status === 201) acknowledged.push(title)
    if (index % Math.ceil(count / kills) === Math.ceil(count / kills) - 1) {
      await server.kill()
      server = await start()
    }
  }
  slow_ms = 0
  const titles = () => [...new Set(received.map(({ title }) => title))]
  await expect.poll(() => titles().length, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(acknowledged.length)

  expect(titles().filter((title) => acknowledged.includes(title))).toEqual(acknowledged)
  // Receivers can recognize a duplicate delivery by its id.
  const ids = new Map(received.map(({ id, title }) => [title, id]))
  expect(received.every(({ id, title }) => ids.get(title) === id)).toBe(true)
  await server.stop()
})
