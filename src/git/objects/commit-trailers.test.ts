import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { trailersOf } from './commit-trailers.ts'

test('the last paragraph gives trailers, if all of its lines are some', () => {
  expect(trailersOf('Title\n\nText.\n\nSigned-off-by: Ann <ann@example.com>\nFixes:  #1\n long\nfixes: 2\n')).toEqual({
    'Signed-off-by': 'Ann <ann@example.com>',
    Fixes: '#1 long',
    fixes: '2',
  })
  expect(trailersOf('Title\n\nReviewed-by: Ann\nReviewed-by: Ben')).toEqual({ 'Reviewed-by': 'Ben' })
})

test('a title, prose and a mixed paragraph are none, unless git wrote a line of it', () => {
  for (const message of [
    '',
    'Fix: this',
    'Fix: this\nFixes: 1',
    'Title\n\nNote: this\nis prose',
    'Title\n\na b: c',
    'Title\n\n__proto__: x',
  ]) {
    expect([message, trailersOf(message)]).toEqual([message, {}])
  }
  expect(trailersOf('Title\n\nsome words\nSigned-off-by: Ann\n(cherry picked from commit 1234)')).toEqual({ 'Signed-off-by': 'Ann' })
})

test('names that objects have by themselves are plain names, and a long message takes no time', () => {
  expect(trailersOf('Title\n\nconstructor: x')).toEqual({ constructor: 'x' })
  const used_ms = measureComputing()
  trailersOf(`Title\n\n${'a'.repeat(2_000_000)}`)
  trailersOf(`Title\n\n${'a \t'.repeat(700_000)}:`)
  trailersOf(`Title\n${'\n x'.repeat(700_000)}`)
  expect(used_ms()).toBeLessThan(1_000)
})
