import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../failure.ts'
import { parseQuery } from './parameters.ts'

/** As plain objects, to be compared. */
const read = (text: string): unknown => JSON.parse(JSON.stringify(parseQuery(text)))

test.each([
  ['', {}],
  ['a=1', { a: '1' }],
  ['a', { a: null }],
  ['a=', { a: '' }],
  ['a=1&a=2', { a: '2' }],
  ['a=b=c', { a: 'b=c' }],
  ['&a=1&&b=2&', { a: '1', b: '2' }],
  ['a=x+y%20z%2B', { a: 'x y z+' }],
  ['%C3%A4=%E2%82%AC', { ä: '€' }],
  ['a[]=1&a[]=2', { a: ['1', '2'] }],
  ['a%5B%5D=1', { a: ['1'] }],
  ['a[b]=1&a[c]=2', { a: { b: '1', c: '2' } }],
  ['a[b][c]=1', { a: { b: { c: '1' } } }],
  ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
  ['a[0]=x&a[1]=y', { a: { 0: 'x', 1: 'y' } }],
])('reads %j', (text, expected) => {
  expect(read(text)).toEqual(expected)
})

test('an element of a list is complete when one of its names comes again', () => {
  expect(read('variables[][key]=A&variables[][value]=1&variables[][key]=B&variables[][value]=2')).toEqual({
    variables: [
      { key: 'A', value: '1' },
      { key: 'B', value: '2' },
    ],
  })
  expect(read('actions[][action]=create&actions[][file][path]=a&actions[][file][mode]=b&actions[][file][path]=c')).toEqual({
    actions: [{ action: 'create', file: { path: 'a', mode: 'b' } }, { file: { path: 'c' } }],
  })
  expect(read('a[][tags][]=x&a[][tags][]=y&a[][name]=n')).toEqual({ a: [{ tags: ['x', 'y'], name: 'n' }] })
})

test('conflicting parameter names are rejected', () => {
  for (const text of ['a=1&a[]=2', 'a=1&a[b]=2', 'a[]=1&a[b]=2', 'a[b]=1&a[]=2', 'a[b]=1&a[b][c]=2']) {
    expect(() => parseQuery(text), text).toThrow(
      expect.objectContaining({ code: 'invalid', body: { error: expect.stringMatching(/is invalid$/) } }),
    )
  }
})

test('bytes that are not UTF-8 are refused', () => {
  for (const text of ['a=%ff', '%c3=1', 'a=%', 'a=%zz', 'a=%ed%a0%80']) {
    expect(() => parseQuery(text), text).toThrow('the parameters are not encoded as UTF-8')
  }
})

test('depth and number are limited', () => {
  expect(() => parseQuery(`a${'[b]'.repeat(16)}=1`)).not.toThrow()
  expect(() => parseQuery(`a${'[b]'.repeat(18)}=1`)).toThrow('the parameters are nested too deeply')
  expect(() => parseQuery('a[]=1&'.repeat(20_001))).toThrow('too many parameters')
})

test('no parameter name reaches a prototype', () => {
  const read = parseQuery('__proto__[admin]=1&constructor[prototype][admin]=1&a[__proto__][admin]=1&toString=x')
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
  expect(Object.getPrototypeOf(read)).toBeNull()
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'a', 'toString'])
})

test('flat names and values come back as they were, whatever they are', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[[\]]/.test(text) && text === Buffer.from(text).toString())
  const value = fc.string({ unit: 'grapheme' }).filter((text) => text === Buffer.from(text).toString())
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: false }), (sent) => {
      const text = Object.entries(sent).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      expect({ ...parseQuery(text.join('&')) }).toEqual({ ...sent })
    }),
  )
})

test('any query is parsed or rejected with 400, quickly', () => {
  const part = fc.constantFrom('a', '[', ']', '[]', '=', '&', '%', '%5B', '__proto__', '+', '%00', '\0', 'b')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      try {
        parseQuery(parts.join(''))
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        expect((error as Failure).status).toBe(400)
      }
    }),
    { numRuns: 2_000 },
  )
})
