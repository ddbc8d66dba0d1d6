/** Requests in front of a busy server: in their order, a few milliseconds of them in each turn of the event loop, probes first. */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type AdmissionOptions, queueRequests } from './admission.ts'

/** A server whose requests each take so long of the event loop, some of it in what they await. */
async function busyServer(work_ms: number, options: AdmissionOptions = {}) {
  const started: string[] = []
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    started.push(incoming.url ?? '')
    await Promise.resolve()
    const until = performance.now() + work_ms
    while (performance.now() < until);
    response.end('ok')
  }
  const server = createServer((incoming, response) => void handle(incoming, response))
  queueRequests(server, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port, started }
}

interface Answer {
  status: number
  headers: IncomingMessage['headers']
}

function get(port: number, path: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ port, path, agent, host: '127.0.0.1' }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}

/** So many connections on which a request is in the server's hands, before it answers any. */
async function connections(server: Server, port: number, count: number): Promise<Agent> {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  onTestFinished(() => agent.destroy())
  await Promise.all(Array.from({ length: count }, (_, index) => get(port, `/warm-${index}`, agent)))
  await new Promise<void>((resolve) => server.getConnections((_, found) => resolve(expect(found).toBe(count))))
  return agent
}

test('requests that come at once are spread over turns of the event loop, in their order', async () => {
  const { server, port, started } = await busyServer(2, { budget_ms: 5 })
  const agent = await connections(server, port, 20)
  started.length = 0
  const turns: number[] = []
  let turn = 0
  let isDone = false
  const count = () => {
    turn += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  server.prependListener('request', (_, response: ServerResponse) => response.once('finish', () => turns.push(turn)))
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => get(port, `/${index}`, agent)))
  isDone = true
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const numbers = started.map((url) => Number(url.slice(1)))
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  // 2 ms each and 5 ms a turn: three in a turn, whatever the machine does between them.
  const perTurn = Math.max(...turns.map((one) => turns.filter((other) => other === one).length))
  expect(perTurn).toBeLessThanOrEqual(3)
})

test('new connections are answered while others are as busy as they can be', async () => {
  const readers = 60
  const { server, port } = await busyServer(1)
  const agent = await connections(server, port, readers)
  let isDone = false
  let answered = 0
  const reading = Array.from({ length: readers }, async () => {
    for (; !isDone; answered += 1) await get(port, '/again', agent)
  })
  await expect.poll(() => answered).toBeGreaterThan(readers)
  const before = answered
  await Promise.all(Array.from({ length: 30 }, () => get(port, '/new')))
  isDone = true
  await Promise.all(reading)
  // One connection in each turn that answers all 60: 30 of them would have to wait for 1,800 answers.
  expect(answered - before).toBeLessThan(900)
})

test('a probe does not wait', async () => {
  const { server, port, started } = await busyServer(5, { budget_ms: 1, isUrgent: (url) => url === '/probe' })
  const agent = await connections(server, port, 21)
  started.length = 0
  const others = Array.from({ length: 20 }, (_, index) => get(port, `/${index}`, agent))
  await Promise.all([...others, get(port, '/probe', agent)])
  expect(started.indexOf('/probe')).toBeLessThan(18)
})

test('beyond the queue’s limit a request gets 503 with Retry-After', async () => {
  let refused = 0
  const { server, port } = await busyServer(5, { budget_ms: 1, max_waiting: 3, onRefused: () => (refused += 1) })
  const agent = await connections(server, port, 3)
  expect(refused).toBe(0)
  const sockets = Array.from({ length: 12 }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(15)
  const answers = sockets.map(async (socket) => {
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    return text
  })
  const texts = await Promise.all(answers)
  const refusals = texts.filter((text) => text.startsWith('HTTP/1.1 503'))
  expect(refusals.length).toBeGreaterThan(0)
  expect(refusals.length).toBe(refused)
  for (const text of refusals) expect(text).toMatch(/retry-after: 1\r\n/i)
  expect(texts.filter((text) => text.startsWith('HTTP/1.1 200')).length).toBe(12 - refused)
  agent.destroy()
})

test('a request is not handled if its client left while it waited', async () => {
  const { server, port, started } = await busyServer(20, { budget_ms: 1 })
  const agent = await connections(server, port, 3)
  started.length = 0
  const gone = connect(port, '127.0.0.1')
  await once(gone, 'connect')
  const waiting = Promise.all(['/a', '/b', '/c'].map((path) => get(port, path, agent)))
  server.prependListener('request', ({ url, socket }: IncomingMessage) => url === '/gone' && socket.destroy())
  gone.on('error', () => {}).write('GET /gone HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(gone, 'close')
  await waiting
  await get(port, '/after')
  expect(started).toContain('/after')
  expect(started).not.toContain('/gone')
})

test('pipelined requests on one connection delay no other, and too many close it', async () => {
  const { server, port, started } = await busyServer(5, { budget_ms: 1, max_waiting_per_connection: 60 })
  const [greedy, other] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await Promise.all([once(greedy, 'connect'), once(other, 'connect')])
  const asked = new Promise<void>((resolve) => server.prependListener('request', ({ url }: IncomingMessage) => url === '/79' && resolve()))
  const requests = Array.from({ length: 80 }, (_, index) => `GET /${index} HTTP/1.1\r\nhost: a\r\n\r\n`)
  greedy.write(requests.join(''))
  await asked
  other.write('GET /other HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  const isClosed = new Promise<void>((resolve) => greedy.on('error', () => {}).once('close', () => resolve()))
  greedy.resume()
  for await (const _ of other);
  expect(started.indexOf('/other')).toBeGreaterThanOrEqual(0)
  expect(started.indexOf('/other')).toBeLessThan(10)
  await isClosed
  expect(started).not.toContain('/79')
})

test('a hundred probes at once over one connection wait as other requests do', async () => {
  const { server, port, started } = await busyServer(5, { budget_ms: 1, isUrgent: (url) => url.startsWith('/probe') })
  const [greedy, other] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await Promise.all([once(greedy, 'connect'), once(other, 'connect')])
  const asked = new Promise<void>((resolve) =>
    server.prependListener('request', ({ url }: IncomingMessage) => url === '/probe39' && resolve()),
  )
  greedy.write(Array.from({ length: 40 }, (_, index) => `GET /probe${index} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''))
  await asked
  other.write('GET /probe HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  for await (const _ of other);
  expect(started.indexOf('/probe')).toBeLessThan(10)
  greedy.destroy()
})
