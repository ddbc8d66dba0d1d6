/** Large answers that clients don't read: so many bytes of them wait, of one address and in all. */
import { connect, type Socket } from 'node:net'
import { Type } from 'typebox'
import { expect, onTestFinished, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { countedBytes } from '../../../test/support/held-bytes.ts'
import { waitingBytes } from '../../limits/waiting-bytes.ts'
import { endpoint } from '../declare/endpoint.ts'
import { anyone } from '../declare/rules.ts'
import { mount } from './mount.ts'
import { openServer } from './server.ts'

const mebibyte = 1024 * 1024
/** More than the buffers of both ends of a connection take. */
const large = 'x'.repeat(16 * mebibyte)
const reply = Type.Object({ text: Type.String() })
const large_bytes = JSON.stringify({ text: large }).length

test('an address that reads nothing gets no more large answers, small ones go on, and with its connections the bytes are free', async () => {
  const forge = await testForge()
  const app = { ...forge.app, limits: { ...forge.app.limits, held: waitingBytes({ of_address: 2 * large_bytes, total: 1e9 }) } }
  const server = await openServer(app)
  mount(server, app, [
    endpoint('GET /large', { summary: 'Large', access: anyone(), reply, handle: () => ({ text: large }) }),
    endpoint('GET /small', { summary: 'Small', access: anyone(), reply, handle: () => ({ text: 'x' }) }),
  ])
  const address = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  onTestFinished(() => server.close())
  const statusOf = async (path: string) => {
    const answer = await fetch(new URL(`/api/v4${path}`, address))
    await answer.body?.cancel()
    return answer.status
  }

  const readers = [await slowReader(address), await slowReader(address)]
  expect(await statusOf('/large')).toBe(429)
  expect(await statusOf('/small')).toBe(200)
  for (const reader of readers) reader.destroy()
  await expect.poll(() => statusOf('/large')).toBe(200)
})

test('a large body is counted before it is read, in JSON or of unknown length, and JSON of too many values is refused', async () => {
  const forge = await testForge()
  const { counted, held } = countedBytes()
  const app = { ...forge.app, limits: { ...forge.app.limits, held } }
  const server = await openServer(app)
  const body = { text: Type.String() }
  const declared = endpoint('POST /large', {
    summary: 'Large',
    access: anyone(),
    changesNothing: true,
    body,
    maxBody_bytes: 8 * mebibyte,
    reply: Type.Null(),
    handle: () => null,
  })
  mount(server, app, [declared])
  const address = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  onTestFinished(() => server.close())
  const headers = { 'content-type': 'application/json', 'private-token': forge.root.token }
  const send = async (sent: BodyInit) =>
    (await fetch(new URL('/api/v4/large', address), { method: 'POST', headers, body: sent, duplex: 'half' } as RequestInit)).status

  const text = JSON.stringify({ text: 'x'.repeat(3 * mebibyte) })
  expect(await send(text)).toBe(204)
  expect(await send(new Blob([text]).stream())).toBe(204)
  expect(await send('{"text":"x"}')).toBe(204)
  expect(counted.filter((bytes) => bytes > 0)).toEqual([text.length, 8 * mebibyte])
  expect(await send(`{"text":"x","more":[${'{},'.repeat(700_000)}{}]}`)).toBe(400)
})

/** Has begun to get the large answer, and reads no further. */
async function slowReader({ hostname, port }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(`GET /api/v4/large HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      socket.pause()
      resolve()
    })
  })
  return socket
}
