import { expect, test } from 'vitest'
import { jobs, subscribers } from './index.ts'

const enqueuing = subscribers.flatMap((subscriber) => (subscriber.kind === 'enqueued' ? [subscriber] : []))

test('a job that a subscriber enqueues is one that the queue knows', () => {
  expect(enqueuing.length).toBeGreaterThan(0)
  expect(enqueuing.filter(({ job }) => !jobs.includes(job))).toEqual([])
})

test('no event enqueues the same job twice', () => {
  const pairs = enqueuing.map(({ type, job }) => `${type} ${job.name}`)
  expect(pairs).toEqual([...new Set(pairs)])
})
