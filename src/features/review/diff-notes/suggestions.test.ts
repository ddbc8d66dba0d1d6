/** Suggestions in texts: which blocks are some, and what they replace. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { linesBetween, suggestionsIn, withLinesReplaced } from './suggestions.ts'

const block = (info: string, ...lines: string[]) => ['```', info, '\n', ...lines.map((line) => `${line}\n`), '```'].join('')

test('a block of suggestion says what replaces the line, and how many lines around it', () => {
  expect(suggestionsIn(`Rather:\n\n${block('suggestion:-2+1', 'a', '', '  b')}\nor\n${block('suggestion')}`)).toEqual([
    { lines_above: 2, lines_below: 1, to_content: 'a\n\n  b\n' },
    { lines_above: 0, lines_below: 0, to_content: '' },
  ])
})

test('what only looks like one is text', () => {
  for (const text of [
    block('suggestions', 'a'),
    block('suggestion:+1-1', 'a'),
    block('ruby', 'suggestion'),
    `\`\`\`\`md\n${block('suggestion', 'a')}\n\`\`\`\``,
    `    ${block('suggestion', 'a')}`,
    '```suggestion ` x\na\n```',
    'suggestion',
  ])
    expect([text, suggestionsIn(text)]).toEqual([text, []])
  const used_ms = measureComputing()
  expect(suggestionsIn(`${'`'.repeat(500_000)}\u2028x`)).toEqual([])
  expect(used_ms()).toBeLessThan(500)
})

test('fences of any length and kind, lines of any ending, an open end and a hundred lines at most', () => {
  expect(suggestionsIn('~~~~suggestion:-0+0\r\n```\r\n~~~~')).toEqual([{ lines_above: 0, lines_below: 0, to_content: '```\n' }])
  expect(suggestionsIn('  ```suggestion:-999+5\n  a\n b')).toEqual([{ lines_above: 100, lines_below: 5, to_content: 'a\nb\n' }])
  expect(suggestionsIn(`${block('suggestion', 'a')}\n`.repeat(150))).toHaveLength(100)
})

test('lines are read and replaced, at the ends of a text too', () => {
  const text = 'a\nb\nc'
  expect([linesBetween(text, 0, 1), linesBetween(text, 2, 9)]).toEqual(['a\n', 'b\nc'])
  expect(withLinesReplaced(text, 1, 2, 'x\n')).toBe('x\nc')
  expect(withLinesReplaced(text, 3, 3, 'x\ny\n')).toBe('a\nb\nx\ny')
  expect(withLinesReplaced('a\r\nb\r\n', 2, 2, 'x\ny\n')).toBe('a\r\nx\r\ny\r\n')
  expect(withLinesReplaced('a\r\nb', 2, 2, 'x\ny\n')).toBe('a\r\nx\r\ny')
  expect(withLinesReplaced('a\nb\r\nc\n', 2, 2, 'x\n')).toBe('a\nx\r\nc\n')
  expect(withLinesReplaced('a\n', 1, 1, '')).toBe('')
  expect(withLinesReplaced('a\nb\n', 2, 2, 'c\n')).toBe('a\nc\n')
})
