/** Whatever a browser makes of line breaks, a file keeps its own. */
import { expect, test } from 'vitest'
import { withBreaksOf, withLineFeeds } from './line-breaks.ts'

const sent = (text: string) => text.replace(/\r\n?|\n/g, '\r\n')

test.each([
  ['line feeds', 'a\nb\n'],
  ['carriage returns and line feeds', 'a\r\nb\r\n'],
  ['lone carriage returns', 'a\rb\r'],
  ['all of them', 'a\r\nb\nc\rd\r\n\r\n\n'],
  ['a line feed and no end', 'a\r\nb\nc'],
  ['no break', 'a'],
  ['nothing', ''],
])('a text with %s comes back as it was', (_, text) => {
  expect(withBreaksOf(sent(text), text)).toBe(text)
  expect(withBreaksOf(withLineFeeds(text), text)).toBe(text)
})

test.each([
  ['new lines have the breaks of the file', 'a\r\nb\r\n', 'a\r\nnew\r\nb\r\n'],
  ['a new line has the break of the line before it', 'a\r\nb\nc\n', 'a\r\nnew\r\nb\nnew\nc\n'],
  ['before all others that of the first', 'a\r\nb\nc\n', 'new\r\na\r\nb\nc\n'],
  ['lines that stay keep theirs when others go', 'a\nb\r\nc\n', 'b\r\nc\n'],
])('%s', (_, before, after) => expect(withBreaksOf(sent(after), before)).toBe(after))
