/** The digests of a change: what makes another change of a file, and what doesn't. */
import { expect, test } from 'vitest'
import { digestsOf } from './change-digest.ts'

const digests = (...lines: string[]) => digestsOf(Buffer.from(`${lines.join('\n')}\n`))
const diff = (...lines: string[]) => JSON.stringify([...digests(...lines)])
const head = ['diff --git a/f b/f', 'index 1111..2222 100644', '--- a/f', '+++ b/f']
const change = diff(...head, '@@ -1,2 +1,3 @@ above', ' a', '+b', ' c')

test('line numbers and blobs of text don’t count', () => {
  const moved = diff(head[0] as string, 'index 3333..4444 100644', ...head.slice(2), '@@ -10,2 +10,3 @@ elsewhere', ' a', '+b', ' c')
  expect(moved).toBe(change)
})

test.each([
  ['white space', [...head, '@@ -1,2 +1,3 @@', ' a', '+ b', ' c']],
  ['a neighboring line', [...head, '@@ -1,2 +1,3 @@', ' A', '+b', ' c']],
  ['the name of the file', ['diff --git a/g b/g', 'index 1111..2222 100644', '--- a/g', '+++ b/g', '@@ -1,2 +1,3 @@', ' a', '+b', ' c']],
  ['the mode', ['diff --git a/f b/f', 'old mode 100644', 'new mode 100755', ...head.slice(1), '@@ -1,2 +1,3 @@', ' a', '+b', ' c']],
  ['a line that reads as a header', [...head, '@@ -1,2 +1,4 @@', ' a', '+b', '+index 1..2', ' c']],
  ['a second hunk', [...head, '@@ -1,2 +1,3 @@', ' a', '+b', ' c', '@@ -9 +9 @@']],
])('%s makes another change', (_, lines) => {
  expect(diff(...lines)).not.toBe(change)
})

test('of binary files the contents count', () => {
  const binary = (oid: string) => diff('diff --git a/p b/p', `index 0000..${oid} 100644`, 'Binary files a/p and b/p differ')
  expect(binary('1111')).not.toBe(binary('2222'))
  expect(binary('1111')).toBe(binary('1111'))
})

test('each file has its own, by its path', () => {
  const second = ['diff --git a/g h b/g h', 'index 1111..2222 100644', '--- a/g h', '+++ b/g h', '@@ -1 +1 @@', '-a', '+b']
  const found = digests(...head, '@@ -1,2 +1,3 @@ above', ' a', '+b', ' c', ...second, 'diff --git "a/\\303\\244\\tb" "b/\\303\\244\\tb"')

  expect([...found.keys()]).toEqual(['f', 'g h', 'ä\tb'])
  expect(found.get('f')).toBe(digests(...head, '@@ -1,2 +1,3 @@ above', ' a', '+b', ' c').get('f'))
})
