/** One piece of each caller at a time, those first who took least. */
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('of callers who have taken as much, those who want least come first, one task at a time', async () => {
  const { run } = createFairQueue({ maxWaiting: 10, maxWaitingInAll: 20, now: () => 0 })
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
  expect(order).toEqual(['a1', 'c1', 'b1', 'b2', 'a2', 'a3', 'a4'])
  await send('a', 'a5')
  expect(order.at(-1)).toBe('a5')
})

test('a user with too many waiting tasks is refused; others are not', async () => {
  const { run } = createFairQueue({ maxWaiting: 2, maxWaitingInAll: 20 })
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
  const { run } = createFairQueue({ maxWaiting: 2, maxWaitingInAll: 20 })
  const failing = run('a', async () => {
    throw new Error('no')
  })
  const next = run('a', async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('done')
})

test('several run at once, of one caller one, and whoever took least is next', async () => {
  let time = 0
  const { run } = createFairQueue({ maxWaiting: 10, maxWaitingInAll: 20, slots: 2, now: () => time })
  const order: string[] = []
  const running = new Map<string, () => void>()
  const send = (name: string) =>
    run(name.charAt(0), () => {
      order.push(name)
      return new Promise<void>((resolve) => running.set(name, resolve))
    })
  const end = async (name: string, after: number) => {
    time += after * 1_000
    running.get(name)?.()
    await new Promise(setImmediate)
  }
  const all = ['a1', 'a2', 'b1', 'b2', 'c1'].map(send)
  expect(order).toEqual(['a1', 'b1'])
  await end('a1', 5)
  expect(order).toEqual(['a1', 'b1', 'c1'])
  await end('c1', 1)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2'])
  await end('b1', 10)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
  await end('a2', 0)
  await end('b2', 0)
  await Promise.all(all)
})

test('a caller who used much less than a minute ago waits for one who used little; later they are equal', async () => {
  let time = 0
  const { run } = createFairQueue({ maxWaiting: 10, maxWaitingInAll: 20, now: () => time })
  const order: string[] = []
  const take = (whose: string, ms: number) =>
    run(whose, async () => {
      order.push(whose)
      await Promise.resolve()
      time += ms
    })
  await Promise.all([take('greedy', 2_000), take('other', 10), take('greedy', 2_000), take('other', 10), take('other', 10)])
  expect(order.splice(0)).toEqual(['greedy', 'other', 'other', 'other', 'greedy'])
  time += 130_000
  await Promise.all([take('first', 0), take('greedy', 0), take('other', 0)])
  expect(order).toEqual(['first', 'greedy', 'other'])
})

test('many callers who each send little are refused together, and served again once the queue has room', async () => {
  const { run } = createFairQueue({ maxWaiting: 2, maxWaitingInAll: 3 })
  const send = (whose: string) => run(whose, async () => whose)
  const all = await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map(send))
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(all[5]).toMatchObject({ reason: { code: 'busy', status: 503 } })
  expect(await Promise.all(['e', 'f'].map(send))).toEqual(['e', 'f'])
})

test('a full queue takes further callers: the newest work of the caller who has most waiting is refused instead', async () => {
  const { run } = createFairQueue({ maxWaiting: 3, maxWaitingInAll: 6 })
  const send = (whose: string) => run(whose, async () => whose)
  const all = await Promise.allSettled(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'd', 'd', 'd'].map(send))
  expect(all.map(({ status }) => (status === 'fulfilled' ? 1 : 0))).toEqual([1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0])
  for (const { status, ...outcome } of all) if (status === 'rejected') expect(outcome).toMatchObject({ reason: { code: 'busy' } })
})

test('callers who have taken little go before new callers who want a lot', async () => {
  let time = 0
  const { run } = createFairQueue({ maxWaiting: 10, maxWaitingInAll: 20, now: () => time })
  const order: string[] = []
  const take = (whose: string, ms: number) =>
    run(whose, async () => {
      order.push(whose)
      await Promise.resolve()
      time += ms
    })
  await take('other', 100)
  await Promise.all([...['a', 'a', 'a', 'b', 'b', 'b'].map((whose) => take(whose, 2_000)), take('other', 100)])
  expect(order.slice(0, 3)).toEqual(['other', 'a', 'other'])
})

test('waived time is charged to nobody: who was held up by others still comes before them', async () => {
  let time = 0
  const { run } = createFairQueue({ maxWaiting: 10, maxWaitingInAll: 20, now: () => time })
  const order: string[] = []
  const send = (name: string, took_ms: number, waived_ms = 0) =>
    run(name.charAt(0), async (waive) => {
      order.push(name)
      time += took_ms + waived_ms
      waive(waived_ms)
    })
  await send('a1', 2_000)
  await send('b1', 10, 3_000)
  await Promise.all([send('c1', 0), send('a2', 0), send('a3', 0), send('b2', 0), send('b3', 0)])
  expect(order.slice(3)).toEqual(['b2', 'b3', 'a2', 'a3'])
})
