import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestBucket, testBucket } from '../../test/support/bucket.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { Failure } from '../failure.ts'
import { withChecksum } from './checksum.ts'
import type { ObjectStore } from './object-store.ts'
import { openStore } from './store.ts'

cpuBudget(7, 'Large objects, in a folder and in a bucket.')

const part_bytes = 8 * 1024 * 1024
const fresh = () => `lfs/ab/${randomUUID()}`
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** In pieces of a size that fits into nothing evenly. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_521) yield bytes.subarray(at, at + 65_521)
}
const source = (bytes: Buffer) => Readable.from(pieces(bytes), { objectMode: false })

function failing(bytes: Buffer, error: Error): Readable {
  return Readable.from(
    (function* () {
      yield* pieces(bytes)
      throw error
    })(),
    { objectMode: false },
  )
}

let folder: string
let bucket: TestBucket

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gitstead-store-'))
  bucket = await testBucket(join(folder, 'bucket'))
})

afterAll(async () => {
  await bucket.close()
  await rm(folder, { recursive: true, force: true })
})

const inObjects = (name: string) => readdir(join(folder, 'objects', name)).catch(() => [])

const makes = {
  folder: {
    open: () => openStore({ home: folder, bucket: null }),
    keys: async () => {
      const entries = await readdir(join(folder, 'objects'), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile() && !/\.(unfinished|drafts)$/.test(entry.parentPath)).map(({ name }) => name)
    },
    unfinished: async () => (await Promise.all(['.unfinished', '.drafts'].map(inObjects))).flat(),
  },
  bucket: {
    open: () => openStore({ home: folder, bucket: bucket.options }),
    keys: () => bucket.keys(),
    unfinished: () => bucket.uploads(),
  },
}

describe.each(Object.keys(makes) as Array<keyof typeof makes>)('in a %s', (make) => {
  const { open, keys, unfinished } = makes[make]
  let store: ObjectStore

  beforeAll(async () => {
    store = await open()
  })

  afterAll(() => store.close())

  const read = async (key: string, part?: { start: number; end: number }) => buffer(await store.open(key, part))

  test.each([0, 1, part_bytes - 1, part_bytes, part_bytes + 1, 2 * part_bytes + 1])(
    'what is put is there as it was: %i bytes',
    async (size) => {
      const [key, bytes] = [fresh(), randomBytes(size)]
      await store.put(key, withChecksum(source(bytes), { size, sha256: sha256(bytes) }), size)
      expect(sha256(await read(key))).toBe(sha256(bytes))
      expect(await unfinished()).toEqual([])
    },
  )

  test('a draft becomes an object, with what happens before it is there', async () => {
    const [key, failed, draft, other] = [fresh(), fresh(), await store.openDraft(), await store.openDraft()]
    for (const one of [draft, other]) for (const piece of pieces(randomBytes(part_bytes + 1))) await one.append(piece)
    const seen: string[][] = []
    await store.putDraft(key, draft, async () => void seen.push((await keys()).filter((name) => key.endsWith(name))))
    await expect(store.putDraft(failed, other, () => Promise.reject(new Error('too late')))).rejects.toThrow('too late')
    await Promise.all([draft, other].map((one) => one.close()))
    expect([seen, sha256(await read(key))]).toEqual([[[]], draft.sum().sha256])
    await expect(read(failed)).rejects.toMatchObject({ code: 'not_found' })
    expect(await unfinished()).toEqual([])
  })

  test('a part of an object is its bytes from the first to the last, both included', async () => {
    const [key, bytes] = [fresh(), randomBytes(100_000)]
    await store.put(key, source(bytes), bytes.length)
    for (const [start, end] of [
      [0, 1],
      [7, 7],
      [10, 69_999],
      [99_999, 99_999],
    ] as const) {
      expect((await read(key, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true)
    }
  })

  test.each([100, 3 * part_bytes])(
    'where the source fails after %i bytes so does the put, with its error, and nothing is there',
    async (size) => {
      const before = await keys()
      const error = new Error('no more')
      await expect(store.put(fresh(), failing(randomBytes(size), error), size + 1)).rejects.toBe(error)
      expect([await keys(), await unfinished()]).toEqual([before, []])
    },
  )

  test('of many puts whose sources fail at once none leaves anything, not even what was just being made', async () => {
    const before = await keys()
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 16 }, () => store.put(fresh(), failing(Buffer.alloc(1), new Error('no')), 2).catch(() => {})))
    expect([await keys(), await unfinished()]).toEqual([before, []])
  })

  test('a source that has failed or was closed before the put is as good as none', async () => {
    const before = await keys()
    const closed = source(randomBytes(100))
    closed.destroy()
    const failed = withChecksum(failing(Buffer.alloc(0), new Error('no more')), { size: 100, sha256: '' })
    await new Promise((resolve) => failed.once('close', resolve))
    await expect(store.put(fresh(), closed, 100)).rejects.toThrow()
    await expect(store.put(fresh(), failed, 100)).rejects.toThrow('no more')
    expect([await keys(), await unfinished()]).toEqual([before, []])
  })

  test('bytes that are fewer, more or others than announced are refused, and nothing is there', async () => {
    const [before, bytes] = [await keys(), randomBytes(part_bytes + 100)]
    const size = bytes.length
    const whole = { size, sha256: sha256(bytes) }
    const put = (expected: typeof whole) => store.put(fresh(), withChecksum(source(bytes), expected), expected.size).catch((error) => error)
    const refusals = [await put({ ...whole, size: size - 1 }), await put({ ...whole, size: size + 1 }), await put({ size, sha256: 'ab' })]
    expect(refusals.map((error) => [error.code, error.message])).toEqual([
      ['invalid', `More than the ${size - 1} bytes that were announced arrived.`],
      ['invalid', `Only ${size} of ${size + 1} bytes arrived.`],
      ['invalid', 'The bytes that arrived have another SHA-256.'],
    ])
    expect([await keys(), await unfinished()]).toEqual([before, []])
  })

  test('nothing is there before the source has ended', async () => {
    const [key, bytes] = [fresh(), randomBytes(3 * part_bytes)]
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    const slow = withChecksum(source(bytes), { size: bytes.length, sha256: sha256(bytes) }, () => held)
    const putting = store.put(key, slow, bytes.length)
    await new Promise((resolve) => slow.once('readable', resolve))
    await expect(store.open(key)).rejects.toMatchObject({ code: 'not_found' })
    end()
    await putting
    expect(sha256(await read(key))).toBe(sha256(bytes))
  })

  test('puts at the same time do not disturb each other', async () => {
    const all = Array.from({ length: 8 }, (_, index) => ({ key: fresh(), bytes: randomBytes(index * 400_000) }))
    await Promise.all(all.map(({ key, bytes }) => store.put(key, source(bytes), bytes.length)))
    for (const { key, bytes } of all) expect(sha256(await read(key))).toBe(sha256(bytes))
  })

  test('opening a missing object is not_found, and removing it does not fail', async () => {
    const key = fresh()
    const failure = await store.open(key).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ code: 'not_found', message: '404 Not Found' })
    await expect(store.remove(key)).resolves.toBeUndefined()
  })

  test('a removed object is gone, and its neighbor stays', async () => {
    const [key, neighbour] = [fresh(), fresh()]
    for (const each of [key, neighbour]) await store.put(each, source(Buffer.from('text')), 4)
    await store.remove(key)
    await expect(store.open(key)).rejects.toMatchObject({ code: 'not_found' })
    expect((await read(neighbour)).toString()).toBe('text')
  })

  test('a put under way whose key is removed fails, and leaves nothing', async () => {
    const [key, bytes, before] = [fresh(), randomBytes(2 * part_bytes), await keys()]
    const slow = withChecksum(source(bytes), { size: bytes.length, sha256: sha256(bytes) }, async () => {
      // A part of it is at the service by now.
      while ((await unfinished()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      await store.remove(key)
    })
    await expect(store.put(key, slow, bytes.length)).rejects.toThrow()
    expect([await keys(), await unfinished()]).toEqual([before, []])
  })

  test.each([
    '',
    'lfs',
    '/etc/passwd',
    '../lfs/ab',
    'lfs/../../ab',
    'lfs/./ab',
    'lfs//ab',
    'lfs/ab/',
    '.unfinished/ab',
    'lfs/a\0b',
    'lfs/ab\n',
  ])('no key leads out of it: %j is refused by everything', async (key) => {
    const refusal = `'${key}' is no key of the objects store`
    await expect((async () => store.put(key, source(Buffer.from('text')), 4))()).rejects.toThrow(refusal)
    await expect((async () => store.open(key))()).rejects.toThrow(refusal)
    await expect((async () => store.remove(key))()).rejects.toThrow(refusal)
  })
})
