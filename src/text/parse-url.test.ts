import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isUrl, parseUrl } from './parse-url.ts'

test('an address with letters of any alphabet is one, however often others were asked about before', () => {
  for (let asked = 0; asked < 100_000; asked += 1) isUrl(`https://example.com/${asked % 7}`)
  expect(parseUrl('https://bücher.example/')?.href).toBe('https://xn--bcher-kva.example/')
  expect(isUrl('https://例え.example/')).toBe(true)
})

test('text that is no address is rejected', () => {
  expect(['', 'words', '//example.com', 'http://', 'http://exa mple.com'].map(parseUrl)).toEqual([null, null, null, null, null])
})

test('nothing asks URL.canParse', () => {
  const source = join(import.meta.dirname, '..')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const asking = files.filter((name) => name !== 'text/parse-url.ts' && readFileSync(join(source, name), 'utf8').includes('URL.canParse'))
  expect(asking).toEqual([])
})
