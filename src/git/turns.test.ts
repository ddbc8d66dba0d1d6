import { expect, test } from 'vitest'
import { turns } from './turns.ts'

/** Work that ends when it is told to. */
function held(log: string[], name: string) {
  let end = (_failure?: Error) => {}
  const work = () =>
    new Promise<string>((resolve, reject) => {
      log.push(name)
      end = (failure) => (failure ? reject(failure) : resolve(name))
    })
  return { work, end: (failure?: Error) => end(failure) }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('so much is done at once, and the rest in its order as turns come free', async () => {
  const log: string[] = []
  const { take } = turns({ at_once: 2, most_waiting: 10 })
  const works = ['a', 'b', 'c', 'd'].map((name) => held(log, name))
  const answers = works.map(({ work }) => take(work))
  await settle()
  expect(log).toEqual(['a', 'b'])
  works[1]?.end()
  await settle()
  expect(log).toEqual(['a', 'b', 'c'])
  works[0]?.end()
  works[2]?.end()
  await settle()
  works[3]?.end()
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd'])
})

test('work that fails gives its turn on, and its failure to who asked', async () => {
  const log: string[] = []
  const { take } = turns({ at_once: 1, most_waiting: 10 })
  const [first, second] = [held(log, 'a'), held(log, 'b')]
  const failing = take(first.work)
  const passing = take(second.work)
  first.end(new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  await settle()
  second.end()
  expect(await passing).toBe('b')
})

test('who comes when too many wait is refused at once, and is never served', async () => {
  const log: string[] = []
  const { take } = turns({ at_once: 1, most_waiting: 1 })
  const works = ['a', 'b', 'c'].map((name) => held(log, name))
  const answers = works.slice(0, 2).map(({ work }) => take(work))
  await expect(take(works[2]?.work as () => Promise<string>)).rejects.toMatchObject({ code: 'timed_out' })
  works[0]?.end()
  await settle()
  works[1]?.end()
  await Promise.all(answers)
  expect(log).toEqual(['a', 'b'])
})
