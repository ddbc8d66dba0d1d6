import { expect, test } from 'vitest'
import type { Failure } from '../../failure.ts'
import { limiter } from './limiter.ts'

const anybody = {}

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

test('at most N run at once, and the rest in order as slots become free', async () => {
  const log: string[] = []
  const { run } = limiter({ max_running: 2, max_waiting: 10, max_waiting_per_caller: 10 })
  const works = ['a', 'b', 'c', 'd'].map((name) => held(log, name))
  const answers = works.map(({ work }) => run(anybody, work))
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

test('failing work releases its slot, and its caller gets the error', async () => {
  const log: string[] = []
  const { run } = limiter({ max_running: 1, max_waiting: 10, max_waiting_per_caller: 10 })
  const [first, second] = [held(log, 'a'), held(log, 'b')]
  const failing = run(anybody, first.work)
  const passing = run(anybody, second.work)
  first.end(new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  await settle()
  second.end()
  expect(await passing).toBe('b')
})

test('a caller is refused at once when too many wait', async () => {
  const log: string[] = []
  const { run } = limiter({ max_running: 1, max_waiting: 1, max_waiting_per_caller: 10 })
  const works = ['a', 'b', 'c'].map((name) => held(log, name))
  const answers = works.slice(0, 2).map(({ work }) => run(anybody, work))
  await expect(run(anybody, works[2]?.work as () => Promise<string>)).rejects.toMatchObject({ code: 'busy', status: 503 })
  works[0]?.end()
  await settle()
  works[1]?.end()
  await Promise.all(answers)
  expect(log).toEqual(['a', 'b'])
})

/** Work of callers, by names that begin with theirs, all of it asked for while one other is under way. */
async function queued(names: string[], options: { max_waiting: number; max_waiting_per_caller: number }) {
  const log: string[] = []
  const { run } = limiter({ max_running: 1, ...options })
  const first = held(log, 'first')
  const running = run({ caller: 'other' }, first.work)
  const answers = names.map((name) =>
    run({ caller: name.charAt(0) }, async () => {
      log.push(name)
    }).catch((error: Failure) => error.code),
  )
  first.end()
  await running
  const outcomes = await Promise.all(answers)
  return { log: log.slice(1), outcomes }
}

test('callers are served in rotation, however many requests one of them has', async () => {
  const { log } = await queued(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'], { max_waiting: 10, max_waiting_per_caller: 10 })
  expect(log).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('waiting calls are limited per caller and in total', async () => {
  const { outcomes } = await queued(['a1', 'a2', 'a3', 'b1', 'b2'], { max_waiting: 3, max_waiting_per_caller: 2 })
  expect(outcomes).toEqual([undefined, undefined, 'too_many_at_once', undefined, 'busy'])
})

test('a caller that leaves while waiting frees its place', async () => {
  const log: string[] = []
  const { run } = limiter({ max_running: 1, max_waiting: 1, max_waiting_per_caller: 1 })
  const first = held(log, 'first')
  const running = run({}, first.work)
  const leaving = new AbortController()
  const left = run({ caller: 'a', signal: leaving.signal }, held(log, 'left').work)

  leaving.abort()

  await expect(left).rejects.toMatchObject({ code: 'client_gone' })
  const next = run({ caller: 'a' }, async () => 'next')
  first.end()
  expect([await running, await next, log]).toEqual(['first', 'next', ['first']])
  await expect(run({ signal: leaving.signal }, async () => 'never')).rejects.toMatchObject({ code: 'client_gone' })
})
