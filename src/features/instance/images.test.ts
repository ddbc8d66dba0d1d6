/** Headers of images: what they say, and that no image takes long. */
import { expect, test } from 'vitest'
import { onePixel } from '../../../test/support/fixtures/images.ts'
import { imageHeaderOf } from './images.ts'

/** A box of the formats that AVIF is one of. */
function box(kind: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(kind, 4)
  return Buffer.concat([head, body])
}

/** With as many sizes of its picture as wanted. */
function avif(sizes: number): Buffer {
  const size = box('ispe', Buffer.from('000000000000000400000003', 'hex'))
  const properties = box('iprp', box('ipco', Buffer.concat(Array<Buffer>(sizes).fill(size))))
  return Buffer.concat([box('ftyp', Buffer.from('avif0000')), box('meta', Buffer.alloc(4), properties)])
}

const jpegOf = (...segments: string[]) => Buffer.from(`ffd8${segments.join('')}`, 'hex')
const frame = 'ffc0000b080003000401011100'

test('kind and size are read from the bytes', () => {
  expect(imageHeaderOf(onePixel)).toEqual({ kind: 'png', width: 1, height: 1 })
  expect(imageHeaderOf(Buffer.from('<svg width="4" height="3"></svg>'))).toEqual({ kind: 'svg', width: 4, height: 3 })
  expect(imageHeaderOf(avif(1))).toEqual({ kind: 'avif', width: 4, height: 3 })
  expect(imageHeaderOf(jpegOf('ffe00004abcd', frame))).toEqual({ kind: 'jpg', width: 4, height: 3 })
  for (const text of ['', 'x', 'ffd8', '<svg', '8BPS\0\x01', 'P6 4 3 255'])
    expect([text, imageHeaderOf(Buffer.from(text))]).toEqual([text, null])
})

test('the size of a JPEG is found behind a large preview, and nothing is read without end', () => {
  const preview = `ffe1fffe${'00'.repeat(0xfffc)}`
  expect(imageHeaderOf(jpegOf(preview, preview, preview, frame))).toMatchObject({ width: 4 })
  expect(imageHeaderOf(Buffer.concat([jpegOf(frame.slice(0, 4)), Buffer.alloc(5 * 1024 * 1024)]))).toBeNull()
})

test('an image of 5 MiB that is made to be slow is refused within a second of processor', () => {
  const before = process.cpuUsage()
  const slow = [avif(260_000), Buffer.concat([jpegOf(), Buffer.alloc(5 * 1024 * 1024)]), Buffer.from(`<svg ${'"<svg '.repeat(900_000)}`)]

  for (const bytes of slow) expect(imageHeaderOf(bytes)).toBeNull()

  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(1)
})
