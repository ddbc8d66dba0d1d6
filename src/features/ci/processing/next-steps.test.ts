/** Jobs that may start and jobs that are skipped, in every kind of pipeline. */
import { expect, test } from 'vitest'
import type { JobWhen } from '../../../ci/plan.ts'
import type { PipelineStatus } from '../../../db/tables.ts'
import { type JobState, nextSteps } from './next-steps.ts'

type Given = [name: string, stage_idx: number, status: PipelineStatus, more?: { when?: JobWhen; needs?: string[]; allow_failure?: boolean }]

function stepsOf(...given: Given[]): Record<string, string> {
  const jobs = given.map(([name, stage_idx, status, more], id): JobState => {
    const { when = 'on_success', needs = null, allow_failure = false } = more ?? {}
    return { id, name, stage_idx, status, when, needs, allow_failure }
  })
  return Object.fromEntries(nextSteps(jobs).map(({ id, to }) => [jobs[id]?.name, to]))
}

test.each<[string, Given[], Record<string, string>]>([
  [
    'the first stage starts, the second waits',
    [
      ['a', 0, 'created'],
      ['b', 1, 'created'],
    ],
    { a: 'start' },
  ],
  [
    'all of a stage must have succeeded',
    [
      ['a', 0, 'success'],
      ['b', 0, 'running'],
      ['c', 1, 'created'],
    ],
    {},
  ],
  [
    'then the next one starts',
    [
      ['a', 0, 'success'],
      ['b', 0, 'success'],
      ['c', 1, 'created'],
    ],
    { c: 'start' },
  ],
  [
    'a failure skips what follows',
    [
      ['a', 0, 'failed'],
      ['b', 1, 'created'],
      ['c', 2, 'created'],
    ],
    { b: 'skipped', c: 'skipped' },
  ],
  [
    'an allowed failure does not',
    [
      ['a', 0, 'failed', { allow_failure: true }],
      ['b', 1, 'created'],
    ],
    { b: 'start' },
  ],
  [
    'a cancellation skips even what always runs',
    [
      ['a', 0, 'canceled'],
      ['b', 1, 'created', { when: 'always' }],
    ],
    { b: 'skipped' },
  ],
  [
    'on_failure and always run after a failure',
    [
      ['a', 0, 'failed'],
      ['b', 1, 'created', { when: 'on_failure' }],
      ['c', 1, 'created', { when: 'always' }],
      ['d', 1, 'created'],
    ],
    { b: 'start', c: 'start', d: 'skipped' },
  ],
  ['on_failure of the first stage never runs', [['a', 0, 'created', { when: 'on_failure' }]], { a: 'skipped' }],
  [
    'an optional manual job is passed over',
    [
      ['a', 0, 'created', { when: 'manual', allow_failure: true }],
      ['b', 1, 'created'],
    ],
    { a: 'manual', b: 'start' },
  ],
  [
    'a blocking one is waited for',
    [
      ['a', 0, 'created', { when: 'manual' }],
      ['b', 1, 'created'],
    ],
    { a: 'manual' },
  ],
  [
    'a delayed job is scheduled, and waited for',
    [
      ['a', 0, 'created', { when: 'delayed' }],
      ['b', 1, 'created'],
    ],
    { a: 'scheduled' },
  ],
  [
    'needs leave stages behind',
    [
      ['a', 0, 'success'],
      ['slow', 0, 'running'],
      ['b', 1, 'created', { needs: ['a'] }],
      ['c', 1, 'created'],
      ['d', 2, 'created', { needs: [] }],
    ],
    { b: 'start', d: 'start' },
  ],
  [
    'a job of the same stage can be needed',
    [
      ['b', 0, 'created', { needs: ['a'] }],
      ['a', 0, 'created'],
    ],
    { a: 'start' },
  ],
  [
    'what needs a failed or skipped job is skipped, to the end of the chain',
    [
      ['d', 0, 'created', { needs: ['c'] }],
      ['c', 0, 'created', { needs: ['b'] }],
      ['b', 0, 'created', { needs: ['a'] }],
      ['a', 0, 'failed'],
    ],
    { b: 'skipped', c: 'skipped', d: 'skipped' },
  ],
  [
    'what needs a manual job that nobody played is skipped',
    [
      ['a', 0, 'manual', { allow_failure: true }],
      ['b', 1, 'created', { needs: ['a'] }],
    ],
    { b: 'skipped' },
  ],
  [
    'it waits for all of its needs before that',
    [
      ['a', 0, 'skipped'],
      ['slow', 0, 'running'],
      ['b', 1, 'created', { needs: ['a', 'slow'], when: 'always' }],
    ],
    {},
  ],
  [
    'a skipped stage is passed over',
    [
      ['a', 0, 'skipped'],
      ['b', 1, 'created'],
    ],
    { b: 'start' },
  ],
])('%s', (_, given, steps) => {
  expect(stepsOf(...given)).toEqual(steps)
})

test('ten thousand jobs are decided without growing slow', () => {
  const jobs = Array.from({ length: 10_000 }, (_, id): JobState => {
    const needs = id < 50 ? [] : Array.from({ length: 50 }, (__, back) => `job ${id - back - 1}`)
    return { id, name: `job ${id}`, stage_idx: 0, status: id === 0 ? 'failed' : 'created', when: 'on_success', needs, allow_failure: false }
  })
  // 49 without needs start; those that need the first are skipped, and all behind them.
  expect(nextSteps(jobs).filter(({ to }) => to === 'start')).toHaveLength(49)
})
