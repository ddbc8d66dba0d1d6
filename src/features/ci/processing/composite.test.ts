/** The status that results from many statuses, as the reference's table has it. */
import { expect, test } from 'vitest'
import type { PipelineStatus } from '../../../db/tables.ts'
import { nextStatus, overallStatus } from './composite.ts'

const counted = (...states: PipelineStatus[]) => states.map((status) => ({ status, allow_failure: false }))

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
  ['a manual job in the way', ['success', 'manual', 'created'], 'manual'],
  ['a delayed one', ['success', 'scheduled', 'created'], 'scheduled'],
  ['one that waits for its resource group', ['success', 'waiting_for_resource'], 'waiting_for_resource'],
])('%s comes to what it should', (_, states, overall) => {
  expect(overallStatus(counted(...states))).toBe(overall)
})

test('an allowed failure is ignored', () => {
  const allowed = { status: 'failed' as const, allow_failure: true }
  expect(overallStatus([allowed, ...counted('success')])).toBe('success')
  expect(overallStatus([allowed, ...counted('failed')])).toBe('failed')
  expect(overallStatus([allowed])).toBe('success')
  expect(overallStatus([{ ...allowed, status: 'running' }, ...counted('success')])).toBe('running')
})

test('a pipeline that has begun does not wait again', () => {
  expect(nextStatus('created', 'pending')).toBe('pending')
  expect(nextStatus('pending', 'pending')).toBe('pending')
  for (const begun of ['running', 'success', 'failed', 'canceled'] as const) expect(nextStatus(begun, 'pending')).toBe('running')
  expect(nextStatus('failed', 'success')).toBe('success')
  expect(nextStatus('success', 'created')).toBe('success')
})

test('an optional manual job that nobody played is as if it were not there', () => {
  const optional = { status: 'manual' as const, allow_failure: true }
  expect(overallStatus([optional, ...counted('success')])).toBe('success')
  expect(overallStatus([optional])).toBe('skipped')
})
