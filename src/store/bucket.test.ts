import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type TestBucket, testBucket } from '../../test/support/bucket.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { Failure } from '../failure.ts'
import { type BucketOptions, openBucket } from './bucket.ts'
import { withChecksum } from './checksum.ts'
import type { ObjectStore } from './object-store.ts'

const part_bytes = 8 * 1024 * 1024
const secret = 'S3RVER'

let bucket: TestBucket
let store: ObjectStore

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-bucket-'))
  bucket = await testBucket(folder)
  store = await openBucket(bucket.options, tmpdir())
  return async () => {
    store.close()
    await bucket.close()
    await rm(folder, { recursive: true, force: true })
  }
})

afterEach(() => {
  bucket.fault = null
})

const fresh = () => `lfs/ab/${randomUUID()}`
const put = (key: string, bytes = Buffer.from('text'), at = store) =>
  at.put(key, Readable.from([bytes], { objectMode: false }), bytes.length)

async function opened(options: Partial<BucketOptions>): Promise<ObjectStore> {
  const other = await openBucket({ ...bucket.options, ...options }, tmpdir())
  onTestFinished(() => other.close())
  return other
}

/** Answers as the service does when it refuses. */
function refuse(response: ServerResponse, status: number, code: string, more = ''): true {
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>Said by the service.</Message>${more}</Error>`)
  return true
}

const isPart = ({ method, url = '' }: IncomingMessage) => method === 'PUT' && url.includes('partNumber=')
const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )

test('an address fetches the object, a part of it too', async () => {
  const key = fresh()
  await put(key, Buffer.from('0123456789'))
  const address = (await store.address(key, 60)) as string
  expect(new URL(address).searchParams.get('X-Amz-Expires')).toBe('60')
  expect(await (await fetch(address)).text()).toBe('0123456789')
  const part = await fetch(address, { headers: { range: 'bytes=2-4' } })
  expect([part.status, await part.text()]).toEqual([206, '234'])
})

test('an address expires', inFullRun('Half a second of processor. It says when it expires, in the test above.'), async () => {
  const key = fresh()
  await put(key)
  const address = (await store.address(key, 1)) as string
  let response = await fetch(address)
  while (response.status === 200) {
    await response.arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, 100))
    response = await fetch(address)
  }
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('expired')])
})

test('without direct downloads there is no address', async () => {
  expect(await (await opened({ direct_downloads: false })).address(fresh(), 60)).toBeNull()
})

test(
  'a large object is sent in parts, and a part that fails is sent again',
  inFullRun('Half a second of processor. `store.test.ts` puts objects of more than one part.'),
  async () => {
    const [key, bytes] = [fresh(), randomBytes(3 * part_bytes + 5)]
    let [parts, failures] = [0, 0]
    bucket.fault = (request, response) => {
      if (!isPart(request)) return false
      parts += 1
      if (parts !== 2) return false
      failures += 1
      return refuse(response, 503, 'SlowDown')
    }
    await put(key, bytes)
    expect([parts, failures]).toEqual([5, 1])
    expect((await buffer(await store.open(key))).equals(bytes)).toBe(true)
  },
)

test('the parts of an object that is too large for ten thousand of the usual size are larger', async () => {
  const sizes: number[] = []
  bucket.fault = (request) => {
    if (isPart(request)) sizes.push(Number(request.headers['content-length']))
    return false
  }
  const announced = 9_000 * (part_bytes + 1_000)
  const error = new Error('that was all')
  const source = withChecksum(
    Readable.from([randomBytes(part_bytes + 2_000)], { objectMode: false }),
    { size: announced, sha256: '' },
    () => Promise.reject(error),
  )
  await failureOf(store.put(fresh(), source, announced))
  expect(sizes).toEqual([part_bytes + 1_000])
  expect(await bucket.uploads()).toEqual([])
})

test('where the parts cannot be taken back either, the error of the source is the one thrown', async () => {
  bucket.fault = ({ method }, response) => method === 'DELETE' && refuse(response, 501, 'NotImplemented')
  const key = fresh()
  const size = 2 * part_bytes
  const source = withChecksum(Readable.from([randomBytes(size)], { objectMode: false }), { size: size + 1, sha256: '' })
  expect(await failureOf(store.put(key, source, size + 1))).toMatchObject({
    code: 'invalid',
    message: `Only ${size} of ${size + 1} bytes arrived.`,
  })
  expect(await bucket.uploads()).toEqual([key])

  bucket.fault = null
  await store.remove(key)
  expect(await bucket.uploads()).toEqual([])
})

test(
  'uploads of other keys stay when one is removed, those that begin with it included',
  inFullRun('Half a second of processor. `store.test.ts`: a removed object is gone, and its neighbor stays.'),
  async () => {
    const keys = [fresh(), fresh()]
    keys.push(`${keys[0]}-more`)
    bucket.fault = ({ method }, response) => method === 'DELETE' && refuse(response, 500, 'InternalError')
    const lost = (key: string) =>
      failureOf(store.put(key, withChecksum(Readable.from([randomBytes(part_bytes + 1)]), { size: 1e8, sha256: '' }), 1e8))
    await Promise.all(keys.map(lost))
    expect((await bucket.uploads()).toSorted()).toEqual(keys.toSorted())

    bucket.fault = null
    await store.remove(keys[0] as string)
    expect((await bucket.uploads()).toSorted()).toEqual(keys.slice(1).toSorted())
    for (const key of keys.slice(1)) await store.remove(key)
  },
)

test('a service that cannot list uploads still removes objects', async () => {
  const key = fresh()
  await put(key)
  bucket.fault = ({ url = '' }, response) => url.includes('uploads') && refuse(response, 501, 'NotImplemented')
  await store.remove(key)
  await expect(store.open(key)).rejects.toMatchObject({ code: 'not_found' })
})

test('where the service refuses, the error has its words, and neither keys nor signatures', async () => {
  const revealing = `<AWSAccessKeyId>${secret}</AWSAccessKeyId><SignatureProvided>5f2e</SignatureProvided><StringToSign>AWS4 5f2e</StringToSign>`
  bucket.fault = (_, response) => refuse(response, 403, 'SignatureDoesNotMatch', revealing)
  for (const work of [() => put(fresh()), () => store.open(fresh()), () => store.remove(fresh())]) {
    const error = await failureOf(work())
    expect([error.message, error instanceof Failure]).toEqual(['the bucket: SignatureDoesNotMatch, 403, Said by the service.', false])
    const all = JSON.stringify(error, Object.getOwnPropertyNames(error))
    expect([all.includes(secret), all.includes('5f2e'), error.cause]).toEqual([false, false, undefined])
  }
})

test('a service without room is storage_full', async () => {
  bucket.fault = (_, response) => refuse(response, 507, 'XMinioStorageFull')
  const error = await failureOf(put(fresh()))
  expect(error).toMatchObject({ code: 'storage_full', message: '500 No storage left on the server' })
})

test('a bucket that is not there is no missing object', async () => {
  const other = await opened({ bucket: 'no-such-bucket' })
  const failures = [await failureOf(other.open(fresh())), await failureOf(put(fresh(), undefined, other))]
  expect(failures.map(({ message }) => message)).toEqual(failures.map(() => expect.stringContaining('the bucket: NoSuchBucket, 404')))
})

test('the failure says that nobody listens', async () => {
  const other = await opened({ endpoint: 'http://127.0.0.1:9' })
  expect((await failureOf(other.open(fresh()))).message).toContain('ECONNREFUSED')
})

test('a reader that goes away ends the transfer', async () => {
  const key = fresh()
  await put(key, randomBytes(part_bytes))
  const closed = new Promise<void>((resolve) => {
    bucket.fault = (_, response) => {
      response.once('close', resolve)
      return false
    }
  })
  const stream = await store.open(key)
  await once(stream, 'readable')
  stream.destroy()
  await closed
})
