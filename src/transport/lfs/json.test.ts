/** Bodies in JSON that don't arrive as they should. */
import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { readFields } from './json.ts'

afterEach(() => vi.useRealTimers())

function requestOf(body: PassThrough): FastifyRequest {
  return { headers: { 'content-type': 'application/json' }, body } as unknown as FastifyRequest
}

test('a body that only trickles is given up after a minute, however much of it has come', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const body = new PassThrough()
  const outcome = readFields(requestOf(body)).catch((error: unknown) => error)
  body.write('{')
  await vi.advanceTimersByTimeAsync(59_000)
  body.write(' ')
  expect(body.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await outcome).toMatchObject({ status: 408 })
  expect(body.destroyed).toBe(true)
})

test('one that has arrived leaves nothing behind that would give it up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const body = new PassThrough()
  body.end('{"force":true}')
  expect(await readFields(requestOf(body))).toEqual({ force: true })
  expect(vi.getTimerCount()).toBe(0)
})

test('a client that goes away in the middle is no failure of ours', async () => {
  const body = new PassThrough()
  const outcome = readFields(requestOf(body)).catch((error: unknown) => error)
  body.write('{')
  body.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  expect(await outcome).toMatchObject({ code: 'invalid', message: 'The request did not arrive whole.' })
})
