import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { concurrencyLimiter, isRefusal, type Refusal, type Release } from './concurrency.ts'
import { limiterAt, type SlotServer, serveSlots } from './slot-socket.ts'

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function socketPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-slots-'))
  closing.push(() => rm(folder, { recursive: true }))
  return join(folder, 'slots.sock')
}

async function serve(path: string): Promise<SlotServer> {
  const server = await serveSlots(path, { streams: concurrencyLimiter({ perKey: 1, total: 2 }) })
  closing.push(server.close)
  return server
}

const release = (slot: Release | Refusal) => {
  if (isRefusal(slot)) throw new Error(`refused: ${slot}`)
  slot()
}

test('slots are counted by the server, per key and in total, and are free again once released', async () => {
  const path = await socketPath()
  await serve(path)
  const limiter = limiterAt(path, 'streams')
  const [a, b] = [await limiter.acquire('a'), await limiter.acquire('b')]
  expect([await limiter.acquire('a'), await limiter.acquire('c')]).toEqual(['key', 'all'])
  release(a)
  await expect
    .poll(async () => {
      const again = await limiter.acquire('a')
      if (!isRefusal(again)) again()
      return typeof again
    })
    .toBe('function')
  release(b)
})

test('without a server, or without that limiter, no request is refused', async () => {
  const path = await socketPath()
  for (const name of ['streams', 'unknown', '__proto__']) {
    for (const key of ['a', 'a', 'a']) release(await limiterAt(path, name).acquire(key))
    if (name === 'streams') await serve(path)
  }
})

test('malformed requests are closed and take no slot', async () => {
  const path = await socketPath()
  await serve(path)
  for (const text of ['\n', 'x\n', '{}\n', '{"limiter":"streams","key":1}\n', 'null\n', 'x'.repeat(2_000)]) {
    const socket = connect(path).on('error', () => {})
    socket.write(text)
    await new Promise((resolve) => socket.once('close', resolve))
  }
  release(await limiterAt(path, 'streams').acquire('a'))
})

test('two servers cannot share a path, and a path that is too long is rejected', async () => {
  const path = await socketPath()
  await serve(path)
  await expect(serve(path)).rejects.toThrow('EADDRINUSE')
  await expect(serve(`${path}${'x'.repeat(100)}`)).rejects.toThrow("can't be a socket")
})
