/** JSON of any size is looked through without building it. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../test/support/run/cpu.ts'
import { hasAtMostValues, numberInObject } from './json-scan.ts'

test('values are counted with their names, and not within strings', () => {
  const text = JSON.stringify({ a: [1, 2, { b: 'x, [y]: {"z"} \\' }], c: '\\"' })
  const values = 10
  expect(hasAtMostValues(text, values)).toBe(true)
  expect(hasAtMostValues(text, values - 1)).toBe(false)
  expect(hasAtMostValues('"x'.repeat(3), 1)).toBe(true)
})

test.for([
  ['{"serial":7}', 7],
  [' { "version": 4, "serial" : 12 , "outputs": { "serial": 1 } }\n', 12],
  ['{"a":"\\"serial\\":3","serial":2}', 2],
  ['{"a":"\\\\","serial":2}', 2],
  ['{"serial":1,"serial":2}', 2],
  ['{"serial":1e2}', 100],
  ['{"serial":"7"}', null],
  ['{"serial":{}}', null],
  ['{"outputs":{"serial":7}}', null],
  ['["serial",7]', null],
  ['{"serial":7', null],
  ['{"serial":7}}', null],
  ['{"serial":7}x', null],
  ['{"serial":"', null],
  ['serial', null],
  ['', null],
] as const)('the serial in %j is %j', ([text, serial]) => {
  expect(numberInObject(text, 'serial')).toBe(serial)
})

test('eight million characters that are hard to read take little time', () => {
  const texts = ['[{},'.repeat(2_000_000), `{"${'\\'.repeat(8_000_000)}`, '{"a":"'.repeat(1_300_000), '"\\"'.repeat(2_500_000)]
  for (const text of texts) {
    const used_ms = measureComputing()
    hasAtMostValues(text, 1e9)
    numberInObject(text, 'serial')
    expect(used_ms()).toBeLessThan(1_500)
  }
})
