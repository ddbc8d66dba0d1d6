import { type TProperties, type TSchema, Type } from 'typebox'
import { expect, test } from 'vitest'
import { Day, Id, Instant, none, nullable, Off, oneOf, oneOfDefault, text } from './schema.ts'
import { validator } from './validate.ts'

const read = (schema: TSchema, value: unknown): unknown => (validator({ it: schema })({ it: value }) as { it?: unknown }).it

const fieldError = (properties: TProperties, sent: Record<string, unknown>): unknown => {
  try {
    return validator(properties)(sent)
  } catch (error) {
    return (error as { body: { error: string } }).body.error
  }
}

test.each<[unknown, unknown]>([
  ['12', 12],
  [' 12 ', 12],
  ['-3', -3],
  [12, 12],
])('an integer is read from %j', (sent, expected) => {
  expect(read(Type.Integer(), sent)).toBe(expected)
})

test.each<[unknown]>([['x'], ['1.5'], ['1e3'], ['0x1f'], [1.5], [true], [['1', '2']], [{}], ['1\n2'], ['٣']])(
  'an integer is not read from %j',
  (sent) => {
    expect(fieldError({ it: Type.Integer() }, { it: sent })).toBe('it is invalid')
  },
)

test('an id is a positive integer that fits the database', () => {
  expect(read(Id, '9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const sent of ['0', '-1', '9007199254740992', '99999999999999999999999999']) {
    expect(fieldError({ id: Id }, { id: sent }), sent).toMatch(/^id (does not have a valid value|is invalid)$/)
  }
})

test('booleans are accepted in every form that clients send', () => {
  for (const sent of [true, 'true', 'TRUE', 't', '1', 1, 'on', 'yes']) expect(read(Type.Boolean(), sent), String(sent)).toBe(true)
  for (const sent of [false, 'false', 'f', '0', 0, 'off', 'no']) expect(read(Type.Boolean(), sent), String(sent)).toBe(false)
  for (const sent of ['2', 'maybe', 2, [], {}, ['true'], Object.create(null)]) {
    expect(fieldError({ it: Type.Boolean() }, { it: sent })).toBe('it is invalid')
  }
})

test('text is kept as sent; numbers and booleans become text', () => {
  expect(read(Type.String(), ' a ')).toBe(' a ')
  expect(read(Type.String(), '')).toBe('')
  expect(read(Type.String(), 7)).toBe('7')
  expect(read(Type.String(), false)).toBe('false')
  for (const sent of ['a\0b', {}, ['a'], []]) expect(fieldError({ it: Type.String() }, { it: sent })).toBe('it is invalid')
  expect(fieldError({ it: text(3) }, { it: 'abcd' })).toBe('it does not have a valid value')
})

test('an instant is any ISO 8601 date or date with time, given on in UTC', () => {
  expect(read(Instant, '2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
  expect(read(Instant, '2026-03-01T12:00:00Z')).toBe('2026-03-01T12:00:00.000Z')
  expect(read(Instant, '2026-03-01T12:00:00+02:00')).toBe('2026-03-01T10:00:00.000Z')
  // A plus sign that nobody encoded arrives as a space.
  expect(read(Instant, '2026-03-01T12:00:00 02:00')).toBe('2026-03-01T10:00:00.000Z')
  expect(read(Instant, '2026-03-01T12:00:00.5-0130')).toBe('2026-03-01T13:30:00.500Z')
  expect(read(Instant, '2026-03-01T12:00')).toBe('2026-03-01T12:00:00.000Z')
  const wrong = ['yesterday', '2026-13-01', '2026-02-30', '2026', '1700000000', '2026-01-01T25:00:00Z', '+275760-09-13', '2026-03-01 nine']
  for (const sent of [
    ...wrong,
    '2026-03-01T12:00:00Z!',
    '2026-03-01T12:00:00+99:99',
    '2026-03-01 ',
    `2026-03-01${' '.repeat(50_000)}`,
    {},
  ]) {
    expect(fieldError({ it: Instant }, { it: sent }), String(sent)).toBe('it is invalid')
  }
})

test('an instant is also what Ruby writes', () => {
  expect(read(Instant, '2016-07-02 10:11:12 UTC')).toBe('2016-07-02T10:11:12.000Z')
  expect(read(Instant, '2016-07-02 10:11:12 +0200')).toBe('2016-07-02T08:11:12.000Z')
  expect(read(Instant, '2016-07-02 10:11:12  0200')).toBe('2016-07-02T08:11:12.000Z')
  expect(read(Instant, '2016-07-02 10:11:12')).toBe('2016-07-02T10:11:12.000Z')
})

test('a day must be in the calendar', () => {
  expect(read(Day, '2028-02-29')).toBe('2028-02-29')
  expect(read(Day, '2026-03-01T12:00:00Z')).toBe('2026-03-01')
  for (const sent of ['2026-02-30', '2026-02-29', '26-01-01', '2026-1-1', '0000-00-00', 'today']) {
    expect(fieldError({ it: Day }, { it: sent }), sent).toBe('it is invalid')
  }
})

test('an enum accepts its words, and may have a default', () => {
  expect(read(oneOf('asc', 'desc'), 'desc')).toBe('desc')
  expect(read(oneOfDefault('asc', 'desc'), undefined)).toBe('asc')
  expect(fieldError({ sort: oneOf('asc', 'desc') }, { sort: 'up' })).toBe('sort does not have a valid value')
  expect(fieldError({ sort: oneOf('asc', 'desc') }, { sort: 'ASC' })).toBe('sort does not have a valid value')
})

test('a list may be sent as a list, a single value, or with indexes', () => {
  const list = Type.Array(Type.Integer(), { maxItems: 3 })
  expect(read(list, ['1', 2])).toEqual([1, 2])
  expect(read(list, '1')).toEqual([1])
  expect(read(list, { 0: '1', 1: '2' })).toEqual([1, 2])
  expect(fieldError({ ids: list }, { ids: [1, 2, 3, 4] })).toBe('ids does not have a valid value')
  expect(fieldError({ ids: list }, { ids: [1, 'x'] })).toBe('ids[1] is invalid')
  expect(fieldError({ ids: list }, { ids: { a: 1 } })).toBe('ids[0] is invalid')
})

test('objects in lists are read field by field, and missing fields are named', () => {
  const variables = Type.Array(Type.Object({ key: Type.String(), value: Type.String(), masked: Off }))
  expect(read(variables, [{ key: 'A', value: 1, undeclared: 'x' }])).toEqual([{ key: 'A', value: '1', masked: false }])
  expect(fieldError({ variables }, { variables: [{ key: 'A' }] })).toBe('variables[0][value] is missing')
})

test('null is null where allowed, and ignored elsewhere', () => {
  expect(read(nullable(Type.String()), null)).toBeNull()
  expect(read(nullable(Type.Integer()), '')).toBeNull()
  expect(read(Type.Optional(Type.String()), null)).toBeUndefined()
  expect(read(Off, null)).toBe(false)
  expect(read(none, null)).toBeNull()
  expect(fieldError({ it: Type.String() }, { it: null })).toBe('it is missing')
})

test('an empty form field counts as absent, unless it may be text', () => {
  expect(read(Type.Optional(Type.Integer()), '')).toBeUndefined()
  expect(read(Type.Boolean({ default: true }), '')).toBe(true)
  expect(read(Type.Optional(Type.String()), '')).toBe('')
  expect(fieldError({ it: Type.Integer() }, { it: '' })).toBe('it is missing')
})

test('undeclared parameters are dropped, prototypes included', () => {
  const sent = JSON.parse('{"a":"1","admin":true,"__proto__":{"admin":true}}')
  const values = validator({ a: Type.String() })(sent)
  expect(values).toEqual({ a: '1' })
  expect((values as { admin?: unknown }).admin).toBeUndefined()
})

test('a parameter named like an inherited property is missing unless sent', () => {
  expect(fieldError({ constructor: Type.String() }, Object.create(null))).toBe('constructor is missing')
})

test('every invalid parameter is named once', () => {
  const properties = { name: Type.String(), level: Type.Integer({ minimum: 10 }), sort: oneOf('asc') }
  expect(
    String(fieldError(properties, { level: '5', sort: 'x' }))
      .split(', ')
      .sort(),
  ).toEqual(['level does not have a valid value', 'name is missing', 'sort does not have a valid value'])
})
