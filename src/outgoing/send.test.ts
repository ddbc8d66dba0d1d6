/** Bytes that are sent elsewhere: to the addresses that were looked at, whole, and with an answer or without one. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { type Sending, send } from './send.ts'
import type { PinnedTarget } from './targets.ts'

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

/** What the sender is told; null where all went well. */
function complaintOf(target: PinnedTarget, sending: Partial<Sending> = {}): Promise<string | null> {
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

  expect(await complaintOf(target)).toBe(null)
  expect(heard).toEqual([['PUT', `nowhere.invalid:${target.port}`, 'xxx']])
})

test('a host that answers before it has heard all of it is taken at its word', async () => {
  const target = await nowhere((_, reply) => void reply.writeHead(413, { connection: 'close' }).end())

  expect(await complaintOf(target, bytes(8 * 1024 * 1024))).toMatch(/^The host (answered with 413|could not be reached)$/)
})

test('a host that closes, one that never answers, and bytes that break off are no success', async () => {
  const closing = await nowhere((request) => void request.socket.destroy())
  const silent = await nowhere(() => {})
  const broken = new Readable({ read: () => void broken.destroy(new Error('the store is gone')) })
  const said = 'The host could not be reached'

  expect(await complaintOf(closing)).toBe(said)
  expect(await complaintOf(silent, { deadline_ms: 100 })).toBe(said)
  expect(await complaintOf(silent, { body: broken })).toBe(said)
})

test('who stops it is told so, as it is no fault of the host', async () => {
  const silent = await nowhere(() => {})
  const stopping = AbortSignal.abort(new Error('the process ends'))

  await expect(send(silent, { ...bytes(3), deadline_ms: 30_000, signal: stopping })).rejects.not.toMatchObject({ code: 'invalid' })
})
