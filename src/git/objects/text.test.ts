import { expect, test } from 'vitest'
import { textIn } from './text.ts'

test.each([
  ['UTF-8', Buffer.from('é\u{1f680}\r\n\ufeff')],
  ['nothing', Buffer.alloc(0)],
])('%s is a text, and the same bytes again', (_, data) => expect(Buffer.from(textIn(data) ?? '-')).toEqual(data))

test.each([
  ['Latin-1', Buffer.from('caf\xe9', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffa', 'utf16le')],
  ['NUL at the end of much text', Buffer.from(`${'a'.repeat(100_000)}\0`)],
])('%s is none', (_, data) => expect(textIn(data)).toBeNull())
