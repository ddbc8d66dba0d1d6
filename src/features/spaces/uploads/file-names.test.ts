/** Names of attached files, and what files are. */
import { expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { imageTypeOf, linkTo, safeName } from './file-names.ts'

test.each([
  ['dk.png', 'dk.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\notes.txt', 'notes.txt'],
  ['a b(c)[d]<e>"f\'&?#%.md', 'a_b_c__d__e__f_____.md'],
  ['Ünïcode 文件.pdf', 'Ünïcode_文件.pdf'],
  ['..', '_'],
  ['.', '_'],
  ['.htaccess', '.htaccess'],
  ['x\r\nSet-Cookie: a=b.txt', 'x__Set-Cookie__a_b.txt'],
  ['a\0b', 'a_b'],
  ['', 'file'],
  [undefined, 'file'],
  [`${'x'.repeat(400)}.tar`, `${'x'.repeat(196)}.tar`],
  [`x.${'y'.repeat(400)}`, `x.${'y'.repeat(198)}`],
])('%j is kept as %j', (sent, kept) => {
  expect(safeName(sent)).toBe(kept)
})

test.each([
  ['dk.png', { alt: 'dk', markdown: '![dk](/u/dk.png)' }],
  ['film.WebM', { alt: 'film', markdown: '![film](/u/film.WebM)' }],
  ['a.svg', { alt: 'a.svg', markdown: '![a.svg](/u/a.svg)' }],
  ['notes.txt', { alt: 'notes.txt', markdown: '[notes.txt](/u/notes.txt)' }],
])('%s is linked as a text shows it', (name, link) => {
  expect(linkTo(name, `/u/${name}`)).toEqual({ ...link, url: `/u/${name}` })
})

test('only images without script are served as images, whatever their names', () => {
  const text = (start: string) => Buffer.from(start, 'latin1')
  expect(imageTypeOf(onePixel)).toBe('image/png')
  expect(imageTypeOf(text('\xff\xd8\xff\xe0'))).toBe('image/jpeg')
  expect([imageTypeOf(text('GIF89a')), imageTypeOf(text('GIF87a')), imageTypeOf(text('GIF90a'))]).toEqual(['image/gif', 'image/gif', null])
  expect([imageTypeOf(text('RIFF\n\0\0\0WEBPVP8 ')), imageTypeOf(text('RIFF\0\0\0\0WAVE'))]).toEqual(['image/webp', null])
  for (const other of ['<svg xmlns=', '<html>', '', 'BM', '\x89PNG']) expect(imageTypeOf(text(other))).toBeNull()
})
