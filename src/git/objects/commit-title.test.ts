import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { titleOf } from './commit-title.ts'

test('a commit has a title of at most a line: a hundred characters and more are cut at a space after at most eighty', () => {
  const word = 'abcdefghi '
  expect(titleOf('Short\r\n\r\nBody')).toBe('Short')
  expect(titleOf('x'.repeat(99))).toBe('x'.repeat(99))
  expect(titleOf('x'.repeat(100))).toBe(`${'x'.repeat(80)}…`)
  expect(titleOf(word.repeat(10))).toBe(`${word.repeat(8).slice(0, 79)}…`)
  expect(titleOf(`${'x'.repeat(80)} ${'y'.repeat(30)}`)).toBe(`${'x'.repeat(80)}…`)
  expect(titleOf('😀'.repeat(100))).toBe(`${'😀'.repeat(80)}…`)
  expect(titleOf('\n\r\n  Late\nBody')).toBe('Late')
  expect(titleOf('\n')).toBe('--no commit message')
})

test('the title of a message that is one endless line is found at once', () => {
  const endless = '😀'.repeat(10_000_000)
  const used_ms = measureComputing()
  expect(titleOf(endless)).toBe(`${'😀'.repeat(80)}…`)
  expect(used_ms()).toBeLessThan(1_000)
})
