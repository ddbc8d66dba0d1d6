import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { readYaml } from './read-yaml.ts'
import { toPlain } from './values.ts'

const read = (text: string) => {
  const found = readYaml(text)
  return 'error' in found ? found : toPlain(found.value)
}

test('scalars mean what YAML 1.1 says they mean', () => {
  const text =
    'a: yes\nb: off\nc: 0755\nd: 1_000\ne: "yes"\nf: ~\ng: 1.5\nh: 1.0\ni: 0x1F\nj: 12345678901234567890\nk: 1.2.3\nl: !!str 12\nm: y\nn: 2018-01-01'
  expect(read(text)).toEqual({
    ...{ a: true, b: false, c: 493, d: 1000, e: 'yes', f: null, g: 1.5, h: '1.0', i: 31 },
    ...{ j: '12345678901234567890', k: '1.2.3', l: '12', m: 'y', n: '2018-01-01' },
  })
})

test('anchors, aliases and merge keys are followed', () => {
  const text = '.base: &base\n  image: a\n  tags: [x]\njob:\n  stage: test\n  <<: *base\n  image: b\ntwo:\n  <<: [{a: 1}, {a: 2, b: 2}]'
  expect(read(text)).toEqual({
    '.base': { image: 'a', tags: ['x'] },
    job: { stage: 'test', image: 'b', tags: ['x'] },
    two: { a: 1, b: 2 },
  })
})

test('references are kept for later, and odd keys are keys', () => {
  expect(read('a: !reference [.b, script]\n__proto__: {x: 1}\n10: c')).toEqual(
    Object.fromEntries([
      ['a', ['.b', 'script']],
      ['__proto__', { x: 1 }],
      ['10', 'c'],
    ]),
  )
})

test.each([
  ['steps: *bad_alias', 'Unknown alias: bad_alias'],
  ['// incorrect', 'Invalid configuration format'],
  ['- a', 'Invalid configuration format'],
  ['', 'Invalid configuration format'],
  ['"invalid: yaml: test"', 'Invalid configuration format'],
  ['a: !reference [[x]]', '!reference should be an array of strings'],
])('%j is refused: %s', (text, error) => {
  expect(read(text)).toEqual({ error })
})

test('a syntax error tells where it is', () => {
  expect(read('a:\n\t- b')).toEqual({ error: '(<unknown>): Tabs are not allowed as indentation at line 2 column 1' })
})

const bombs: Record<string, string> = {
  aliases: `a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`).join('\n')}`,
  merges: `a0: &a0 {k: v}\n${Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} {b: *a${at}, c: *a${at}}`).join('\n')}`,
  'deep lists': '['.repeat(500_000),
  'deep maps': '{a: '.repeat(200_000),
  'deep dashes': '- '.repeat(300_000),
  'deep indentation': Array.from({ length: 1_400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
  'depth of 101': `${'{a: '.repeat(101)}b${'}'.repeat(101)}`,
  'more than a megabyte': `a: ${'x'.repeat(1_048_576)}`,
  'too many lines': 'a: b\n'.repeat(200_000),
}

test.each(Object.keys(bombs))('%s are too big, and that is known soon', (name) => {
  const used_ms = measureComputing()
  expect(read(bombs[name] ?? '')).toEqual({ error: 'The parsed YAML is too big' })
  expect(used_ms()).toBeLessThan(5_000)
})

test('an alias within its own anchor is unknown, as the anchor begins where its value ends', () => {
  expect(read('a: &a [*a]')).toEqual({ error: 'Unknown alias: a' })
})
