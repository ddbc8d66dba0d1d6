/** Lines as rows: marks within highlighted lines, and texts that try to be markup. */
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import type { DiffRow } from '../../../../git/diff/hunks.ts'
import { marked, splitRows, unifiedRows } from './lines.ts'

const textIn = (html: string) => {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.end(html)
  return text
}

test('a mark within a highlighted line ends before each tag and goes on behind it', () => {
  expect(marked('<span class="k">if</span> (a &lt; b)', [[1, 6]])).toBe('<span class="k">i<mark>f</mark></span><mark> (a </mark>&lt; b)')
  expect(marked('a &lt; b', [[2, 3]])).toBe('a <mark>&lt;</mark> b')
  expect(marked('abc', [[0, 3]])).toBe('<mark>abc</mark>')
})

test('rows show any content of lines as text, never as elements', () => {
  const text = fc.string({
    unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', ' ', '</td>', '<script>', '&lt;', '\u202e', '\r', 'é', '😀'),
    maxLength: 20,
  })
  const rowOf = (kind: DiffRow['kind'], line: string): DiffRow => ({
    kind,
    old_line: kind === 'added' ? null : 1,
    new_line: kind === 'removed' ? null : 1,
    text: line,
  })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const rows = [rowOf('hunk', before), rowOf('removed', before), rowOf('added', after), rowOf('same', after)]
      for (const write of [unifiedRows, splitRows]) {
        const { text: html } = write(rows, { file: 1 })
        expect(html.replace(/<\/?(?:tr|td|mark|b|bdi)(?: (?:class|id|colspan|data-code)="[\w+]*")*>/g, '')).not.toMatch(/[<>]/)
        expect(textIn(html).replaceAll('␍', '\r')).toContain(after.replaceAll('\r', after.includes('\r') ? '\r' : ''))
      }
    }),
    { numRuns: 300 },
  )
})

test('lines in colours are those of their side, with marks within them', () => {
  const rows: DiffRow[] = [
    { kind: 'removed', old_line: 1, new_line: null, text: 'const one' },
    { kind: 'added', old_line: null, new_line: 1, text: 'const two' },
    { kind: 'same', old_line: 2, new_line: 2, text: 'x\r' },
  ]
  const line = (text: string) => `<span class="h-k">const</span> ${text}`
  const colours = { old: [line('one'), 'not shown'], new: [line('two'), '<span class="h-n">x</span>&#13;'] }
  const { text } = unifiedRows(rows, { file: 1, colours })
  expect(text.match(/<span class="h-k">const<\/span> <mark>(?:one|two)<\/mark>/g)).toHaveLength(2)
  expect(text).toContain('<td><span class="h-n">x</span></td>')
})
