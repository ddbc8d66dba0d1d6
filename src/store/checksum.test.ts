import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { withChecksum } from './checksum.ts'

const sha256 = createHash('sha256').update('text').digest('hex')
const empty = createHash('sha256').digest('hex')
const bytes = (...parts: string[]) => Readable.from(parts.map((part) => Buffer.from(part)))

test('bytes that are right pass as they are, none as well as some', async () => {
  expect(await text(withChecksum(bytes('te', 'xt'), { size: 4, sha256 }))).toBe('text')
  expect(await text(withChecksum(bytes(), { size: 0, sha256: empty }))).toBe('')
})

test('more bytes than announced fail as soon as there are more, whether or not the source ever ends', async () => {
  const endless = new PassThrough()
  endless.write('text!')
  await expect(text(withChecksum(endless, { size: 4, sha256 }))).rejects.toThrow('More than the 4 bytes that were announced arrived.')
  expect(endless.destroyed).toBe(false)
})

test('what is to happen before the end happens once all is right, and only then', async () => {
  const happened: string[] = []
  const note = async () => void happened.push('end')
  await expect(text(withChecksum(bytes('tex'), { size: 4, sha256 }, note))).rejects.toThrow('Only 3 of 4 bytes arrived.')
  await expect(text(withChecksum(bytes('tixt'), { size: 4, sha256 }, note))).rejects.toThrow('another SHA-256')
  expect(happened).toEqual([])
  await text(withChecksum(bytes('text'), { size: 4, sha256 }, note))
  expect(happened).toEqual(['end'])
  await expect(text(withChecksum(bytes('text'), { size: 4, sha256 }, () => Promise.reject(new Error('too late'))))).rejects.toThrow(
    'too late',
  )
})

test('the error of the source is passed on, also when nobody listens yet', async () => {
  const source = new PassThrough()
  const checked = withChecksum(source, { size: 4, sha256 })
  source.destroy(new Error('no more'))
  await new Promise((resolve) => checked.once('close', resolve))
  await expect(text(checked)).rejects.toThrow('no more')
})

test('a source that was closed before its end is broken off, however late it is looked at', async () => {
  const source = new PassThrough()
  source.destroy()
  await once(source, 'close')
  await expect(text(withChecksum(source, { size: 4, sha256 }))).rejects.toMatchObject({
    code: 'invalid',
    message: 'The request did not arrive whole.',
  })
})

test('a request whose sender goes away is broken off', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', method: 'PUT', headers: { 'content-length': 4 } })
  sent.on('error', () => {})
  sent.write('te')
  const [received] = await once(server, 'request')
  const checked = withChecksum(received, { size: 4, sha256 })
  await once(checked, 'readable')
  sent.destroy()
  await expect(text(checked)).rejects.toMatchObject({ code: 'invalid', message: 'The request did not arrive whole.' })
  server.close()
})
