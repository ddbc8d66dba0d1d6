/** Which lines a patch shows, and with which numbers: as git writes patches, and as somebody might try to mislead. */
import { expect, test } from 'vitest'
import { parseNameStatus } from './diff-position.ts'
import { linesOf, showsLine } from './hunks.ts'

const patch = (...lines: string[]) => `${lines.join('\n')}\n`
const numbers = (text: string) => [...linesOf(text)].map(({ old_line, new_line }) => [old_line, new_line])

test('lines are numbered on the side or sides they stand on, in every hunk', () => {
  const text = patch(
    '--- a/f',
    '+++ b/f',
    '@@ -1,3 +1,3 @@',
    ' one',
    '-two',
    '+2',
    ' three',
    '@@ -10,2 +10,3 @@ section',
    ' ten',
    '+new',
    ' eleven',
  )
  expect(numbers(text)).toEqual([
    [1, 1],
    [2, null],
    [null, 2],
    [3, 3],
    [10, 10],
    [null, 11],
    [11, 12],
  ])
  expect([1, 2, 3, 4, 10, 11, 12, 13].map((line) => showsLine(text, 'new', line))).toEqual([
    true,
    true,
    true,
    false,
    true,
    true,
    true,
    false,
  ])
  expect([1, 2, 3, 4, 10, 11, 12].map((line) => showsLine(text, 'old', line))).toEqual([true, true, true, false, true, true, false])
})

test('a count left out is one, and a side that is empty has no lines', () => {
  expect(numbers(patch('--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+only'))).toEqual([[null, 1]])
  expect(numbers(patch('--- a/f', '+++ /dev/null', '@@ -1 +0,0 @@', '-only'))).toEqual([[1, null]])
})

test('what is removed or added may look like a header, or like a hunk', () => {
  const text = patch('--- a/f', '+++ b/f', '@@ -1,2 +1,2 @@', '--- a/g', '+++ b/g', '-@@ -9 +9 @@', '+@@ -9 +9 @@')
  expect(numbers(text)).toEqual([
    [1, null],
    [null, 1],
    [2, null],
    [null, 2],
  ])
})

test('the word on a missing newline is no line; empty context may have lost its space', () => {
  const text = patch('@@ -1,2 +1,2 @@', '', '-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file')
  expect(numbers(text)).toEqual([
    [1, 1],
    [2, null],
    [null, 2],
  ])
})

test('a diff without lines has no rows', () => {
  for (const text of ['', 'Binary files a/f and b/f differ\n', '@@ nonsense @@\n+a\n']) expect(numbers(text)).toEqual([])
  for (const line of [0, -1, 1, Number.MAX_SAFE_INTEGER]) expect(showsLine('', 'new', line)).toBe(false)
})

test('names are read with both paths of what was renamed', () => {
  expect(parseNameStatus(Buffer.from('M\0a b\0R087\0old\nname\0new\0D\0gone\0'))).toEqual([
    { old: 'a b', new: 'a b' },
    { old: 'old\nname', new: 'new' },
    { old: 'gone', new: 'gone' },
  ])
  expect(parseNameStatus(Buffer.alloc(0))).toEqual([])
})
