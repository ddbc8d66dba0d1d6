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

test('slots are those of the server, per key and in total, and free again when they are released', async () => {
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

test('where no server answers, or one without that limiter, nobody is refused', async () => {
  const path = await socketPath()
  for (const name of ['streams', 'unknown', '__proto__']) {
    for (const key of ['a', 'a', 'a']) release(await limiterAt(path, name).acquire(key))
    if (name === 'streams') await serve(path)
  }
})

test('requests that are none are closed, and take nothing', async () => {
  const path = await socketPath()
  await serve(path)
  for (const text of ['\n', 'x\n', '{}\n', '{"limiter":"streams","key":1}\n', 'null\n', 'x'.repeat(2_000)]) {
    const socket = connect(path).on('error', () => {})
    socket.write(text)
    await new Promise((resolve) => socket.once('close', resolve))
  }
  release(await limiterAt(path, 'streams').acquire('a'))
})

test('two servers can not have one path, and a long path is refused by its length', async () => {
  const path = await socketPath()
  await serve(path)
  await expect(serve(path)).rejects.toThrow('EADDRINUSE')
  await expect(serve(`${path}${'x'.repeat(100)}`)).rejects.toThrow("can't be a socket")
})
