/** One piece of work at a time, round-robin over users. */
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('a user who sends a lot waits behind their own work; others come between; all of it runs, one at a time', async () => {
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

test('who has too much waiting is refused, and that is never done; others are not', async () => {
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

test('work that fails is told to whom it belongs, and the next goes on', async () => {
  const { run } = createFairQueue(2)
  const failing = run('a', async () => {
    throw new Error('no')
  })
  const next = run('a', async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('done')
})
