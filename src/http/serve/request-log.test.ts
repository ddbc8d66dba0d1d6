/** The request log: one line for each request, whether or not its client waited for the answer. */
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { Type } from 'typebox'
import { expect, onTestFinished, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { endpoint } from '../declare/endpoint.ts'
import { anyone } from '../declare/rules.ts'
import { queueRequests } from './admission.ts'
import { mount } from './mount.ts'
import { logAbandoned } from './request-log.ts'
import { openServer } from './server.ts'

const mebibyte = 1024 * 1024

interface Line {
  msg: string
  url: string
  status: number
  aborted?: true
}

async function loggingApp() {
  const { app } = await testForge()
  const lines: Line[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const requests = () => lines.filter(({ msg }) => msg === 'request').map(({ url, status, aborted }) => [url, status, aborted])
  return { app: { ...app, log }, requests }
}

function ask(port: number, path: string) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

test('a request whose client leaves is logged and counted: as 499 before it has a status, and in the middle of its answer', async () => {
  const { app, requests } = await loggingApp()
  const server = await openServer(app)
  const events = new EventEmitter()
  const begun = once(events, 'begun')
  const gone = once(events, 'gone')
  mount(server, app, [
    endpoint('GET /waits', {
      summary: 'Waits',
      access: anyone(),
      reply: Type.Object({}),
      async handle({ signal }) {
        const left = once(signal(), 'abort')
        events.emit('begun')
        await left
        events.emit('gone')
        return {}
      },
    }),
    endpoint('GET /large', {
      summary: 'Large',
      access: anyone(),
      reply: Type.Object({ text: Type.String() }),
      handle: () => ({ text: 'x'.repeat(16 * mebibyte) }),
    }),
    endpoint('GET /small', { summary: 'Small', access: anyone(), reply: Type.Object({}), handle: () => ({}) }),
  ])
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  onTestFinished(() => server.close())

  const waiting = ask(Number(port), '/api/v4/waits')
  await begun
  waiting.destroy()
  await gone
  await expect.poll(requests).toHaveLength(1)
  const reading = ask(Number(port), '/api/v4/large')
  await once(reading, 'data')
  reading.destroy()
  await expect.poll(requests).toHaveLength(2)
  const whole = ask(Number(port), '/api/v4/small')
  await once(whole, 'data')
  await expect.poll(requests).toHaveLength(3)

  expect(requests()).toEqual([
    ['/api/v4/waits', 499, true],
    ['/api/v4/large', 200, true],
    ['/api/v4/small', 200, undefined],
  ])
  expect(await app.metrics.registry.metrics()).toMatch(/gitstead_http_request_seconds_count\{.*route="\/api\/v4\/waits",status="499"\} 1\n/)
})

test('a request whose client has left before its turn is logged, without its secrets', async () => {
  const { app, requests } = await loggingApp()
  const server = createServer((first) => process.nextTick(() => first.socket.destroy()))
  queueRequests(server, { budget_ms: 1, onAbandoned: (request, ms) => logAbandoned(app, request, ms) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  // Two requests arrive in one chunk, and the second must wait for its turn.
  socket.write(['/first', '/second?private_token=secret'].map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  await expect.poll(requests).toEqual([['/second?private_token=[redacted]', 499, true]])
  socket.destroy()
})
