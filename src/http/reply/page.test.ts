import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageFrom, pageHeaders, slice } from './page.ts'

const address = 'http://forge.test/api/v4/things'

const linksOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries([...(headers.link ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]))

test('a page in the middle links to first, previous, next and last', () => {
  const headers = pageHeaders(pageFrom({ page: 2, per_page: 10 }), 35, address, 'state=opened&page=2&per_page=10')
  expect(headers).toMatchObject({
    'x-total': '35',
    'x-total-pages': '4',
    'x-per-page': '10',
    'x-page': '2',
    'x-next-page': '3',
    'x-prev-page': '1',
  })
  expect(headers.link).toBe(
    [
      `<${address}?state=opened&page=1&per_page=10>; rel="prev"`,
      `<${address}?state=opened&page=3&per_page=10>; rel="next"`,
      `<${address}?state=opened&page=1&per_page=10>; rel="first"`,
      `<${address}?state=opened&page=4&per_page=10>; rel="last"`,
    ].join(', '),
  )
})

test('an empty list has one page without neighbours', () => {
  const headers = pageHeaders(pageFrom({ page: 1, per_page: 20 }), 0, address, '')
  expect(headers).toMatchObject({ 'x-total': '0', 'x-total-pages': '1', 'x-next-page': '', 'x-prev-page': '' })
  expect(Object.keys(linksOf(headers))).toEqual(['first', 'last'])
})

test('a page past the end links back to the last page', () => {
  const headers = pageHeaders(pageFrom({ page: 9, per_page: 20 }), 40, address, '')
  expect(headers).toMatchObject({ 'x-total-pages': '2', 'x-page': '9', 'x-next-page': '', 'x-prev-page': '2' })
})

test('per_page is capped at 100', () => {
  expect(pageFrom({ page: 3, per_page: 1_000 })).toEqual({ page: 3, per_page: 100, limit: 100, offset: 200 })
})

test('links keep every parameter but the page, its size and the secrets, however those are written', () => {
  const query = 'a[]=1&a[]=2&page=3&per_page=5&private_token=s1&access_token=s2&private%5Ftoken=s3&%61ccess_token=s4&page&q=x%26page'
  const { link = '' } = pageHeaders(pageFrom({ page: 1, per_page: 5 }), 5, address, query)
  expect(link).toContain(`<${address}?a[]=1&a[]=2&q=x%26page&page=1&per_page=5>; rel="first"`)
  expect(link).not.toMatch(/s[1234]|token/)
})

test('following the links from the first page visits every row once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }), (total, per_page) => {
      const rows = Array.from({ length: total }, (_, index) => index)
      const seen: number[] = []
      for (let page: number | null = 1; page !== null; ) {
        const at = pageFrom({ page, per_page })
        seen.push(...slice(rows, at).rows)
        const next = pageHeaders(at, total, address, '')['x-next-page']
        page = next ? Number(next) : null
      }
      expect(seen).toEqual(rows)
    }),
  )
})
