/** Requests of the runner over connections that the server closes while they are idle. */
import { createServer, type Server, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { send } from './http.ts'

/** A server whose connections answer so many requests and then reset, as one does that has just closed an idle connection. */
async function resettingAfter(answers: number): Promise<{ url: URL; connections: () => number }> {
  let connections = 0
  const serve = (socket: Socket) => {
    connections += 1
    let left = answers
    socket.on('error', () => {})
    socket.on('data', () => {
      if (left-- > 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      else socket.resetAndDestroy()
    })
  }
  const server: Server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return { url: new URL(`http://127.0.0.1:${port}/`), connections: () => connections }
}

test('a request over a connection that the server had closed is sent again over a new one', async () => {
  const { url, connections } = await resettingAfter(1)
  const texts: string[] = []
  for (let count = 0; count < 3; count += 1) texts.push((await send({ method: 'POST', url, body: '{}' })).text)

  expect([texts, connections()]).toEqual([['ok', 'ok', 'ok'], 3])
})

test('a new connection that ends without an answer is an error, and a stream is sent once', async () => {
  const { url, connections } = await resettingAfter(0)
  await expect(send({ method: 'POST', url, body: '{}' })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections()).toBe(1)

  const { url: later } = await resettingAfter(1)
  await send({ method: 'POST', url: later, body: '{}' })
  const stream = send({ method: 'POST', url: later, headers: { 'Content-Length': '1' }, body: Readable.from([Buffer.from('x')]) })
  await expect(stream).rejects.toThrow()
})
