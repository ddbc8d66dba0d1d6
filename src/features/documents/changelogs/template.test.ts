/** Templates of changelogs: what each construct writes, and that none takes more than it may. */
import { expect, test } from 'vitest'
import { Failure } from '../../../failure.ts'
import { fillTemplate, parseTemplate } from './template.ts'

const fill = (source: string, values: Parameters<typeof fillTemplate>[1] = {}) => fillTemplate(parseTemplate(source), values)
const people = {
  people: [
    { name: 'Ann', tags: ['a', 'b'] },
    { name: 'Ben', tags: [] },
  ],
  empty: [],
  zero: 0,
  none: null,
  yes: true,
}

test.each([
  ['plain text', 'plain text'],
  ['{{ people }}{{ none }}|{{ zero }}|{{yes}}', '|0|true'],
  ['{% each people %}\n- {{ name }}\n{% end %}\nend', '- Ann\n- Ben\nend'],
  ['{% each people %}{% each tags %}{{ it }};{% end %}{% end %}', 'a;b;'],
  ['{% if empty %}some{% else %}none{% end %}', 'none'],
  ['{% if people %}some{% end %}{% if zero %}zero{% end %}', 'some'],
  ['a\\\nb', 'ab'],
  ['a\r\n{% if yes %}\r\nb\r\n{% end %}\r\nc', 'a\nb\nc'],
  ['{{ __proto__ }}{{ people.length }}{{ constructor.name }}{{ none.more }}', ''],
])('%j is filled in', (source, expected) => {
  expect(fill(source, people)).toBe(expected)
})

test.each([
  '{{ name',
  '{% if yes',
  '{% if yes %}',
  '{% each people %}{% else %}{% end %}',
  '{% end %}',
  '{% else %}',
  '{% for x %}{% end %}',
  '{{ a b }}',
  '{{}}',
  '{% if %}{% end %}',
])('%j is refused with a sentence', (source) => {
  expect(() => parseTemplate(source)).toThrow(Failure)
})

test('a template that is too deep, and loops with too long an output, are refused', () => {
  expect(() => parseTemplate('{% if yes %}'.repeat(100_000))).toThrow('deeper')
  const ten = Array.from({ length: 10 }, () => ({}))
  let nested: Parameters<typeof fillTemplate>[1] = { items: ten }
  for (let depth = 0; depth < 6; depth += 1) nested = { items: Array.from({ length: 10 }, () => nested) }
  expect(() => fill(`${'{% each items %}'.repeat(7)}x${'{% end %}'.repeat(7)}`, nested)).toThrow('1 MiB')
})
