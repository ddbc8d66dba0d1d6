/** Bytes that are sent elsewhere: to the addresses that were looked at, whole, and with an answer or without one. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { type Sending, send } from './send.ts'
import type { PinnedTarget } from './ssrf-guard.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  return Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
})

/** A name that no name server knows, at a server of this machine. */
async function nowhere(answer: RequestListener): Promise<PinnedTarget> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://nowhere.invalid:${port}/x`, host: 'nowhere.invalid', port, credentials: null, addresses: ['127.0.0.1'] }
}

const bytes = (size: number): Pick<Sending, 'method' | 'body' | 'size'> => ({
  method: 'PUT',
  body: Readable.from([Buffer.alloc(size, 'x')]),
  size,
})

/** The message that the sender gets; null after a success. */
function fieldErrorOf(target: PinnedTarget, sending: Partial<Sending> = {}): Promise<string | null> {
  return send(target, { ...bytes(3), deadline_ms: 30_000, ...sending }).then(
    () => null,
    (error: Error) => error.message,
  )
}

test('it goes to the addresses that were looked at, whatever a name server says, and under its name', async () => {
  const heard: unknown[] = []
  const target = await nowhere(async (request, reply) => {
    heard.push([request.method, request.headers.host, await text(request)])
    reply.writeHead(201).end()
  })

  expect(await fieldErrorOf(target)).toBe(null)
  expect(heard).toEqual([['PUT', `nowhere.invalid:${target.port}`, 'xxx']])
})

test('a host that answers before it has heard all of it is taken at its word', async () => {
  const target = await nowhere((_, reply) => void reply.writeHead(413, { connection: 'close' }).end())

  expect(await fieldErrorOf(target, bytes(8 * 1024 * 1024))).toMatch(/^The host (answered with 413|could not be reached)$/)
})

test('a host that answers to the last byte has heard all, though the end of the bytes is not told yet', async () => {
  const target = await nowhere(async (request, reply) => void reply.end(await text(request)))
  const endless = new Readable({ read: () => {} })
  endless.push('xxx')

  expect(await fieldErrorOf(target, { body: endless })).toBe(null)
})

test('a host that says yes before it has heard all is not believed', async () => {
  const target = await nowhere((_, reply) => void reply.end())
  const stuck = new Readable({ read: () => {} })
  stuck.push('x')

  expect(await fieldErrorOf(target, { body: stuck })).toBe('The host could not be reached')
})

test('a host that closes, one that never answers, and bytes that break off are no success', async () => {
  const closing = await nowhere((request) => void request.socket.destroy())
  const silent = await nowhere(() => {})
  const broken = new Readable({ read: () => void broken.destroy(new Error('the store is gone')) })
  const said = 'The host could not be reached'

  expect(await fieldErrorOf(closing)).toBe(said)
  expect(await fieldErrorOf(silent, { deadline_ms: 100 })).toBe(said)
  expect(await fieldErrorOf(silent, { body: broken })).toBe(said)
})

test('a host that would rather speak something else is no success, and is not waited for', async () => {
  const target = await nowhere(
    (request) => void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  )

  expect(await fieldErrorOf(target)).toBe('The host could not be reached')
})

test('a host that says to go on, again and again, has not answered', async () => {
  const target = await nowhere((request) => {
    const saying = setInterval(() => request.socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 5)
    request.socket.once('close', () => clearInterval(saying))
  })

  expect(await fieldErrorOf(target, { deadline_ms: 100 })).toBe('The host could not be reached')
})

test('an aborted request rejects with the abort, not as a failure of the host', async () => {
  const silent = await nowhere(() => {})
  const stopping = AbortSignal.abort(new Error('the process ends'))

  await expect(send(silent, { ...bytes(3), deadline_ms: 30_000, signal: stopping })).rejects.not.toMatchObject({ code: 'invalid' })
})
