import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import type { Patience } from '../declare/context.ts'
import { openWaits } from './waits.ts'

const limits = { silence_ms: { download: 60_000, upload: 60_000 } }

/** A server whose requests wait until their patience ends. */
function waitingServer() {
  const server = Fastify()
  const waits = openWaits(server, { limits } as Parameters<typeof openWaits>[1])
  const begun = new EventEmitter()
  const arrived = once(begun, 'wait') as Promise<[Patience]>
  server.get('/news', async (_, reply) => {
    const patience = waits.begin(reply, 50_000)
    begun.emit('wait', patience)
    if (!patience.signal.aborted) await once(patience.signal, 'abort')
    return 'nothing new'
  })
  return { server, arrived }
}

test('a server that stops answers all who wait for news', async () => {
  const { server, arrived } = waitingServer()
  const answer = server.inject('/news')
  await arrived
  await server.close()
  expect((await answer).body).toBe('nothing new')
})

test('a wait ends with its client', async () => {
  const { server, arrived } = waitingServer()
  await server.listen({ port: 0 })
  const client = connect((server.server.address() as AddressInfo).port)
  client.write('GET /news HTTP/1.1\r\nHost: x\r\n\r\n')
  const [{ signal, until }] = await arrived
  expect([signal.aborted, until - Date.now() > 40_000 && until - Date.now() <= 48_000]).toEqual([false, true])
  client.destroy()
  await once(signal, 'abort')
  await server.close()
})
