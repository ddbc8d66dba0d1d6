import { expect, test } from 'vitest'
import { reactionsTo, typesOf } from '../domain-events/domain-events.ts'
import { jobs, subscribers } from './index.ts'

const enqueuing = typesOf(subscribers).flatMap((type) =>
  reactionsTo(subscribers, type).flatMap((reaction) => (reaction.kind === 'enqueued' ? [{ type, job: reaction.job }] : [])),
)

test('a job that a subscriber enqueues is one that the queue knows', () => {
  expect(enqueuing.length).toBeGreaterThan(0)
  expect(enqueuing.filter(({ job }) => !jobs.includes(job))).toEqual([])
})

test('no event enqueues the same job twice', () => {
  const pairs = enqueuing.map(({ type, job }) => `${type} ${job.name}`)
  expect(pairs).toEqual([...new Set(pairs)])
})
