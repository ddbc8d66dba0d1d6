/** Reads and writes of many senders are batched into few statements and transactions, and one sender's failure is no other's. */
import { expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { gatheredReads, gatheredWrites, oneByOne, type Write } from './gathering.ts'

const flag = (name: string): Write => {
  return async (tx) => void (await tx.insertInto('features').values({ name }).execute())
}
const failing: Write = () => Promise.reject(new Error('not this one'))
const outcomesOf = async (works: Promise<void>[]) => (await Promise.allSettled(works)).map(({ status }) => status)

test('writes of many are committed together, and one that fails fails alone', async () => {
  const forge = await testForge()
  const write = gatheredWrites(forge.app.db, () => 0)
  const flags = async () => (await forge.app.db.selectFrom('features').select('name').orderBy('name').execute()).map(({ name }) => name)
  let statements = 0
  const counting = (work: Write): Write => {
    return async (tx) => {
      statements += 1
      await work(tx)
    }
  }

  expect(await outcomesOf(['a', 'b', 'c'].map((name) => write(counting(flag(name)))))).toEqual(Array(3).fill('fulfilled'))
  expect([await flags(), statements]).toEqual([['a', 'b', 'c'], 3])
  expect(await outcomesOf([flag('d'), failing, flag('a'), flag('e')].map((work) => write(work)))).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  expect(await flags()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a hundred writes at once are in a few transactions, and each of them is stored', async () => {
  const forge = await testForge()
  const write = gatheredWrites(forge.app.db, () => 0)
  const transactions = new Set<unknown>()
  const works = Array.from({ length: 100 }, (_, number) => {
    return write(async (tx) => {
      transactions.add(tx)
      await flag(`flag ${number}`)(tx)
    })
  })
  await Promise.all(works)
  const { count } = await forge.app.db
    .selectFrom('features')
    .where('name', 'like', 'flag %')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect([count, transactions.size]).toEqual([100, 4])
})

test('reads of one turn are one read, and each gets its own; all of them hear of a failure', async () => {
  const asked: number[][] = []
  const read = gatheredReads(async (keys: number[]) => {
    asked.push(keys)
    if (keys.includes(0)) throw new Error('none')
    return new Map(keys.filter((key) => key < 3).map((key) => [key, key * 10]))
  })
  expect(await Promise.all([1, 2, 3].map(read))).toEqual([10, 20, null])
  expect(await read(2)).toBe(20)
  expect(asked).toEqual([[1, 2, 3], [2]])
  expect((await Promise.allSettled([0, 1].map(read))).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('each turn lets others work before the next', async () => {
  const turn = oneByOne()
  const order: string[] = []
  const turns = ['a', 'b', 'c'].map((name) =>
    turn().then(() => {
      order.push(name)
      setImmediate(() => order.push(`after ${name}`))
    }),
  )
  await Promise.all(turns)
  expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c'])
})
