/** One piece of work at a time, round-robin over users. */
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('a user’s many tasks wait behind each other while others’ come between, one at a time', async () => {
  const { run } = createFairQueue(10)
  const order: string[] = []
  let at_once = 0
  const send = (whose: string, name: string) =>
    run(whose, async () => {
      expect(++at_once).toBe(1)
      await Promise.resolve()
      order.push(name)
      at_once -= 1
    })
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => send(name.charAt(0), name)))
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  await send('a', 'a5')
  expect(order.at(-1)).toBe('a5')
})

test('a user with too many waiting tasks is refused; others are not', async () => {
  const { run } = createFairQueue(2)
  let done = 0
  const send = (whose: string) =>
    run(whose, async () => {
      done += 1
    })
  const all = await Promise.allSettled(['a', 'a', 'a', 'a', 'b'].map(send))
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(all[3]).toMatchObject({ reason: { code: 'too_many' } })
  expect(done).toBe(4)
})

test('a failing task rejects its own caller, and the next one runs', async () => {
  const { run } = createFairQueue(2)
  const failing = run('a', async () => {
    throw new Error('no')
  })
  const next = run('a', async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('done')
})
