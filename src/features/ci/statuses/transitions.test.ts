/** Which state follows which. */
import { expect, test } from 'vitest'
import { type State, transitionError } from './transitions.ts'

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
