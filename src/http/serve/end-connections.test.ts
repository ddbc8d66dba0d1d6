/** A server that stops waits for requests under way, and for no connection without one. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { openServer } from './server.ts'

/** A server that stops: `/held` is answered once `answer` is called, and `arrived` resolves when the server has it. */
async function stoppableServer() {
  const server = await openServer((await testForge()).app)
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  server.get('/short', async () => 'short')
  server.get('/held', async () => {
    arrive()
    await held
    return 'held'
  })
  const { hostname, port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  onTestFinished(() => answer())
  const open = async (): Promise<Socket> => {
    const accepted = once(server.server, 'connection')
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    await accepted
    return socket
  }
  return { server, open, arrived, answer }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`

test('connections without a request end at once, and the answer to a request under way is sent to its end', async () => {
  const { server, open, arrived, answer } = await stoppableServer()
  const [unused, begun, idle, busy] = [await open(), await open(), await open(), await open()]
  begun.write(get('/short').slice(0, -2))
  idle.write(get('/short'))
  await once(idle, 'data')
  busy.write(get('/held'))
  await arrived

  const answered = text(busy)
  const ended = [unused, begun, idle].map((socket) => once(socket.resume(), 'close'))
  const stopped = server.close()
  await Promise.all(ended)
  expect(busy.readyState).toBe('open')
  answer()
  expect((await answered).endsWith('held')).toBe(true)
  await stopped
})
