/** Which state follows which, and what many of them come to. */
import { expect, test } from 'vitest'
import type { PipelineStatus } from '../../../db/tables.ts'
import { nextStatus, overallStatus, type State, transitionError } from './transitions.ts'

const tally = (...states: PipelineStatus[]) => states.map((status) => ({ status, allow_failure: false, count: 1 }))

test.each<[string, PipelineStatus[], PipelineStatus]>([
  ['nothing', [], 'skipped'],
  ['one that succeeded', ['success'], 'success'],
  ['some that succeeded and some skipped', ['success', 'skipped'], 'success'],
  ['one that failed', ['failed', 'success'], 'failed'],
  ['one that was canceled', ['canceled', 'success'], 'canceled'],
  ['a failure and a cancellation', ['canceled', 'failed'], 'failed'],
  ['only waiting', ['pending', 'created'], 'pending'],
  ['waiting after a success', ['pending', 'success'], 'running'],
  ['running after a failure', ['running', 'failed'], 'running'],
  ['to be made after a failure', ['created', 'failed'], 'running'],
  ['to be made', ['created', 'created'], 'created'],
])('%s comes to what it should', (_, states, overall) => {
  expect(overallStatus(tally(...states))).toBe(overall)
})

test('an allowed failure is ignored', () => {
  const allowed = { status: 'failed' as const, allow_failure: true, count: 2 }
  expect(overallStatus([allowed, ...tally('success')])).toBe('success')
  expect(overallStatus([allowed, ...tally('failed')])).toBe('failed')
  expect(overallStatus([allowed])).toBe('success')
  expect(overallStatus([{ ...allowed, status: 'running' }, ...tally('success')])).toBe('running')
})

test('a pipeline that has begun does not wait again', () => {
  expect(nextStatus('created', 'pending')).toBe('pending')
  expect(nextStatus('pending', 'pending')).toBe('pending')
  for (const begun of ['running', 'success', 'failed', 'canceled'] as const) expect(nextStatus(begun, 'pending')).toBe('running')
  expect(nextStatus('failed', 'success')).toBe('success')
  expect(nextStatus('success', 'created')).toBe('success')
})

test('a status waits once and runs once; it may end at any time', () => {
  const states: State[] = ['pending', 'running', 'success', 'failed', 'canceled']
  const refused = (from: State | 'created') => states.filter((wanted) => transitionError(from, wanted) !== null)
  expect(refused('created')).toEqual([])
  expect(refused('pending')).toEqual(['pending'])
  expect(refused('running')).toEqual(['pending', 'running'])
  expect(transitionError('running', 'pending')).toBe(
    'Cannot transition status via :enqueue from :running (Reason(s): Status cannot transition via "enqueue")',
  )
})
