/** Clients that send or read slowly, and clients with many connections: closed or refused, and nobody else notices. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Forge, openForge, testForge } from '../../../test/support/forge.ts'
import { listen } from '../serve/listen.ts'

/** A period ends when the test says so. */
const period_ms = 400

async function forgeWithPeriods(): Promise<Forge> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const forge = await testForge()
  forge.app.limits.slow_body = { period_ms, min_bytes: 100, max_pause_periods: 3 }
  return forge
}

function endPeriods(count = 1): void {
  vi.advanceTimersByTime(count * period_ms)
}

/** Unlike `expect.poll`, which moves the clock of a test on. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(5)
}

interface Client {
  socket: Socket
  /** All that has arrived. */
  text: () => string
  isClosed: () => boolean
}

async function open(forge: Forge, address = '127.0.0.1'): Promise<Client> {
  const { port } = new URL(await forge.url())
  opened(forge)
  return clientOn(connect({ port: Number(port), host: '127.0.0.1', localAddress: address }))
}

/** Sends it, and waits until the server has read it. */
async function send(forge: Forge, { socket }: Client, text: string): Promise<void> {
  const { localPort } = socket
  const read = () => opened(forge).find(({ remotePort }) => remotePort === localPort)?.bytesRead ?? 0
  const before = read()
  socket.write(text)
  await until(() => read() === before + text.length)
}

/** The connections of a forge, as it has them. */
const connections = new WeakMap<Forge, Socket[]>()

function opened(forge: Forge): Socket[] {
  const known = connections.get(forge)
  if (known) return known
  const made: Socket[] = []
  forge.server.server.on('connection', (socket) => made.push(socket))
  connections.set(forge, made)
  return made
}

async function clientOn(socket: Socket): Promise<Client> {
  let text = ''
  let isClosed = false
  socket.on('data', (chunk) => (text += String(chunk)))
  socket.on('error', () => {})
  socket.on('close', () => (isClosed = true))
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return { socket, text: () => text, isClosed: () => isClosed }
}

const post = (path: string, token: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nprivate-token: ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

test('a body that trickles in gets 408 even if it never pauses', async () => {
  const forge = await forgeWithPeriods()
  const client = await open(forge)
  await send(forge, client, post('/api/v4/projects', forge.root.token, 10_000))
  for (let bytes = 0; bytes < 20; bytes += 1) await send(forge, client, ' ')
  expect(client.isClosed()).toBe(false)
  endPeriods()
  await until(client.isClosed)
  expect(client.text()).toMatch(/^HTTP\/1\.1 408 /)
})

test('the same holds for a body whose request was answered early', async () => {
  const forge = await forgeWithPeriods()
  const client = await open(forge)
  await send(forge, client, post('/api/v4/projects', 'no-such-token', 10_000))
  await until(() => /^HTTP\/1\.1 401 /.test(client.text()))
  await send(forge, client, ' ')
  endPeriods()
  await until(client.isClosed)
  expect(client.text()).not.toContain(' 408 ')
})

test('headers must be complete within a minute', async () => {
  expect((await testForge()).server.server.headersTimeout).toBe(60_000)
})

test('a slow but steady body is accepted', async () => {
  const forge = await forgeWithPeriods()
  const client = await open(forge)
  const body = JSON.stringify({ name: 'slow', description: 'x'.repeat(1_000) })
  await send(forge, client, post('/api/v4/projects', forge.root.token, body.length))
  for (let at = 0; at < body.length; at += 100) {
    await send(forge, client, body.slice(at, at + 100))
    endPeriods()
  }
  await until(() => /^HTTP\/1\.1 201 /.test(client.text()))
  client.socket.destroy()
})

test('a fast body may pause no longer than others, and is ended when nothing more arrives', async () => {
  const forge = await forgeWithPeriods()
  const [pausing, silent] = [await open(forge), await open(forge)]
  const body = JSON.stringify({ name: 'pausing', description: 'x'.repeat(1_900) })
  for (const client of [pausing, silent]) {
    await send(forge, client, post('/api/v4/projects', forge.root.token, body.length))
    // Bytes that arrive together with the header don't count.
    await send(forge, client, body.slice(0, 1_500))
  }
  // With that they have earned fifteen periods, and three of them without anything.
  endPeriods(4)
  await send(forge, pausing, body.slice(1_500))
  await until(() => /^HTTP\/1\.1 201 /.test(pausing.text()))
  expect(silent.isClosed()).toBe(false)
  endPeriods()
  await until(silent.isClosed)
  expect(silent.text()).toMatch(/^HTTP\/1\.1 408 /)
  pausing.socket.destroy()
})

test('a push and a large file may take as long as they need', async () => {
  const forge = await forgeWithPeriods()
  const project = await forge.project()
  const basic = `authorization: Basic ${Buffer.from(`root:${forge.root.token}`).toString('base64')}`
  const heads = [
    `POST /${project.full_path}.git/git-receive-pack HTTP/1.1\r\ncontent-type: application/x-git-receive-pack-request`,
    `PUT /${project.full_path}.git/info/lfs/objects/${'0'.repeat(64)} HTTP/1.1\r\ncontent-type: application/octet-stream`,
  ]
  const clients = await Promise.all(
    heads.map(async (head) => {
      const client = await open(forge)
      await send(forge, client, `${head}\r\nhost: x\r\n${basic}\r\ncontent-length: 10000\r\n\r\n0`)
      return client
    }),
  )
  const ordinary = await open(forge)
  await send(forge, ordinary, post('/api/v4/projects', forge.root.token, 10_000))
  endPeriods(100)
  await until(ordinary.isClosed)
  expect(clients.map((client) => [client.isClosed(), client.text()])).toEqual([
    [false, ''],
    [false, ''],
  ])
  for (const { socket } of clients) socket.destroy()
})

test('an unread response ends its connection; an idle connection that reads stays open', async () => {
  const forge = await openForge()
  forge.server.server.setTimeout(300)
  const project = await forge.project({ files: { 'large.txt': 'x'.repeat(20 * 1024 ** 2) } })
  const idle = await open(forge)
  idle.socket.write('GET /api/v4/version HTTP/1.1\r\nhost: x\r\n\r\n')
  const client = await open(forge)
  client.socket.pause()
  const path = `/api/v4/projects/${project.id}/repository/files/large.txt?ref=main`
  client.socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nprivate-token: ${forge.root.token}\r\n\r\n`)
  await expect.poll(() => opened(forge).length).toBe(2)
  await expect.poll(() => opened(forge).filter(({ destroyed }) => !destroyed).length).toBe(1)
  idle.socket.write('GET /api/v4/version HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => idle.text().match(/HTTP\/1\.1 401/g)?.length).toBe(2)
  for (const { socket } of [idle, client]) socket.destroy()
})

const refused = /^HTTP\/1\.1 503 .*Too many connections/s
const version = 'GET /-/liveness HTTP/1.1\r\nhost: x\r\n\r\n'

test('connections per address are limited, and open ones go on', async () => {
  const forge = await openForge({ limits: { connections: { total: 100, of_address: 3 } }, config: { trusted_proxies: ['127.0.0.9/32'] } })
  const clients = [await open(forge), await open(forge), await open(forge)]
  const extra = await open(forge)
  extra.socket.write(version)
  await expect.poll(extra.isClosed).toBe(true)
  expect(extra.text()).toMatch(refused)
  expect((await forge.app.metrics.connectionsRefused.get()).values[0]?.value).toBe(1)
  for (const { socket } of clients) socket.write(version)
  for (const { text } of clients) await expect.poll(text).toMatch(/^HTTP\/1\.1 200 /)
  // Another address, and a proxy that stands for many.
  const others = await Promise.all(['127.0.0.2', ...Array.from({ length: 5 }, () => '127.0.0.9')].map((address) => open(forge, address)))
  for (const { socket } of others) socket.write(version)
  for (const { text } of others) await expect.poll(text).toMatch(/^HTTP\/1\.1 200 /)
  clients[0]?.socket.destroy()
  await expect
    .poll(async () => {
      const again = await open(forge)
      again.socket.write(version)
      await expect.poll(again.text).not.toBe('')
      again.socket.destroy()
      return again.text().slice(0, 12)
    })
    .toBe('HTTP/1.1 200')
  for (const { socket } of [...clients, ...others]) socket.destroy()
})

test('connections are limited in total, proxies included', async () => {
  const forge = await openForge({ limits: { connections: { total: 2, of_address: 100 } } })
  const clients = [await open(forge), await open(forge, '127.0.0.2')]
  const extra = await open(forge, '127.0.0.3')
  await expect.poll(extra.isClosed).toBe(true)
  expect(extra.text()).toMatch(refused)
  for (const { socket } of clients) socket.destroy()
})

const hasIPv6 = await new Promise<boolean>((resolve) => {
  const server = createServer().once('error', () => resolve(false))
  server.listen(0, '::1', () => server.close(() => resolve(true)))
})

test.skipIf(!hasIPv6)('all loopback addresses together count as one', async () => {
  const forge = await openForge({ limits: { connections: { total: 2, of_address: 100 } } })
  const errors: unknown[] = []
  const addressesOf = async () => ['127.0.0.1', '::1', '192.0.2.1']
  const listener = await listen(forge.server, { host: 'localhost', port: 0, onError: (error) => errors.push(error), addressesOf })
  const { port } = forge.server.server.address() as AddressInfo
  const connectTo = (host: string) => clientOn(connect({ port, host }))
  const clients = [await connectTo('127.0.0.1'), await connectTo('::1')]
  for (const { socket } of clients) socket.write(version)
  for (const { text } of clients) await expect.poll(text).toMatch(/^HTTP\/1\.1 200 /)
  for (const host of ['::1', '127.0.0.1']) {
    const extra = await connectTo(host)
    await expect.poll(extra.isClosed).toBe(true)
    expect(extra.text()).toMatch(refused)
  }
  for (const { socket } of clients) socket.destroy()
  listener.close()
  await expect(connectTo('::1')).rejects.toThrow('ECONNREFUSED')
  expect(errors).toEqual([expect.objectContaining({ code: 'EADDRNOTAVAIL' })])
})
