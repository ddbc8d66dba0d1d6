/** Short YAML texts: what is read of them, and that none takes long. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { readShortYaml } from './short-yaml.ts'

test('a mapping is read, anything else is an error', () => {
  expect(readShortYaml('a: [1, {b: c}]\nd: |\n  e\n')).toEqual({ mapping: { a: [1, { b: 'c' }], d: 'e\n' } })
  for (const text of ['', '# nothing', 'null']) expect([text, readShortYaml(text)]).toEqual([text, { mapping: {} }])
  for (const text of ['- a', 'a', 'a: &b 1\nc: *b', '{', 'a: b: c', '? [a]\n: b', '? {a: b}\n: c', 'a: 1\na: 2'])
    expect([text, readShortYaml(text)]).toEqual([text, { error: expect.stringMatching(/./) }])
})

test.each([
  ['keys within keys', '? ', 8_000],
  ['keys behind tabs', '?\t', 8_000],
  ['a few keys within keys on each line', `${'? '.repeat(5)}x\n`, 299],
  ['items within items', '- ', 8_000],
  ['brackets', '[', 16_000],
  ['some brackets in each item', `- ${'['.repeat(10)}${']'.repeat(10)}\n`, 299],
  ['keys', 'a: 1\n', 3_200],
  ['different keys', Array.from({ length: 2_700 }, (_, index) => `${index.toString(36)}: 1\n`).join(''), 1],
  ['wrong escapes', '"\\x', 5_000],
  ['tags', 'a: !a ', 2_600],
  ['deep keys', Array.from({ length: 170 }, (_, depth) => `${' '.repeat(depth)}?\n`).join(''), 1],
])('%s take less than a second', (_, part, times) => {
  const used_ms = measureComputing()
  readShortYaml(part.repeat(times))
  expect(used_ms()).toBeLessThan(1_000)
})
