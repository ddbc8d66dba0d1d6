import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { testBucket } from '../../../../test/support/bucket.ts'
import { type Forge, openForge, testForge } from '../../../../test/support/forge.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { ObjectStore } from '../../../store/object-store.ts'
import { removeObjectsJob } from './object-storage.jobs.ts'
import { addUnreferenced } from './object-storage.queries.ts'
import { abandon, abandonAll, refer, storeDraft, storeObject } from './object-storage.service.ts'

const hour_ms = 60 * 60_000
const day_ms = 24 * hour_ms

let forge: Forge
let app: App

beforeEach(async () => {
  forge = await testForge()
  app = forge.app
  await app.db.deleteFrom('unreferenced_objects').execute()
  for (const key of await keys()) await app.store.remove(key)
})

afterEach(() => {
  vi.useRealTimers()
})

/** Keys of all files in the folder, finished or not. */
async function keys(): Promise<string[]> {
  const folder = join(app.config.home, 'objects')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

const rows = async () => (await app.db.selectFrom('unreferenced_objects').select('key').execute()).map(({ key }) => key)
const expected = (bytes: Buffer) => ({ size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
const store = (bytes = randomBytes(1_000)) => storeObject(app, 'lfs', Readable.from([bytes]), expected(bytes))
const referTo = (key: string) => inTransaction(app.db, (tx) => refer(tx, key))
const remove = (at: App = app, stopping?: AbortSignal) => removeObjectsJob.handle(at, {}, stopping)

/** All instants that are written down come a day nearer. */
async function dayPasses(): Promise<void> {
  for (const { key, remove_after } of await app.db.selectFrom('unreferenced_objects').selectAll().execute()) {
    const nearer = new Date(Date.parse(remove_after) - day_ms).toISOString()
    await app.db.updateTable('unreferenced_objects').set({ remove_after: nearer }).where('key', '=', key).execute()
  }
}

/** This instance with a store in which some methods are replaced. */
const having = (other: Partial<ObjectStore>): App => ({ ...app, store: { ...app.store, ...other } })

test('a draft is stored like an object: its row comes first, and if its time runs out meanwhile, no file is left', async () => {
  const draft = await app.store.openDraft()
  await draft.append(Buffer.from('draft'))
  const key = await storeDraft(app, 'lfs', draft)
  expect([await keys(), await rows(), String(await buffer(await app.store.open(key)))]).toEqual([[key], [key], 'draft'])
  expect(await referTo(key)).toBe(true)

  const late = await app.store.openDraft()
  const slept = having({
    async putDraft(...all) {
      await dayPasses()
      await app.store.putDraft(...all)
    },
  })
  await expect(storeDraft(slept, 'lfs', late)).rejects.toMatchObject({ code: 'timed_out' })
  await Promise.all([draft, late].map((one) => one.close()))
  await remove()
  expect([await keys(), await rows()]).toEqual([[key], []])
})

test('a stored object stays once a row refers to it', async () => {
  const bytes = randomBytes(100_000)
  const key = await store(bytes)
  expect([key, await keys(), await rows()]).toEqual([expect.stringMatching(/^lfs\/[\da-f]{2}\/[\da-f-]{36}$/), [key], [key]])
  expect(await referTo(key)).toBe(true)
  await dayPasses()
  await remove()
  expect([(await buffer(await app.store.open(key))).equals(bytes), await rows()]).toEqual([true, []])
})

test('an unreferenced object is removed after a day, not before', async () => {
  const key = await store()
  await remove()
  expect(await keys()).toEqual([key])
  await dayPasses()
  await remove()
  expect([await keys(), await rows()]).toEqual([[], []])
})

test('an object that may be removed can no longer be referred to', async () => {
  const [first, second] = [await store(), await store()]
  await dayPasses()
  expect(await referTo(first)).toBe(false)
  await remove()
  expect([await referTo(second), await keys(), await rows()]).toEqual([false, [], []])
})

test('a margin covers clocks that differ between processes', async () => {
  const key = await store()
  const inHalfAMinute = new Date(Date.now() + 30_000).toISOString()
  await app.db.updateTable('unreferenced_objects').set({ remove_after: inHalfAMinute }).where('key', '=', key).execute()
  expect(await referTo(key)).toBe(false)
})

test('an object referred to by a rolled-back transaction is removed', async () => {
  const key = await store()
  const failing = inTransaction(app.db, async (tx) => {
    expect(await refer(tx, key)).toBe(true)
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  expect(await rows()).toEqual([key])
  await dayPasses()
  await remove()
  expect(await keys()).toEqual([])
})

test('an object is referred to once', async () => {
  const key = await store()
  expect((await Promise.all([referTo(key), referTo(key)])).toSorted()).toEqual([false, true])
})

test('an abandoned object is removed by the next run, can’t be reclaimed, and current readers finish', async () => {
  const bytes = randomBytes(3_000_000)
  const [key, other] = [await store(bytes), await store()]
  for (const each of [key, other]) await referTo(each)
  const reader = await app.store.open(key)
  await inTransaction(app.db, (tx) => abandon(tx, key))
  expect(await referTo(key)).toBe(false)
  await remove()
  expect([await keys(), await rows()]).toEqual([[other], []])
  expect((await buffer(reader)).equals(bytes)).toBe(true)
})

test('more objects than fit into one statement are abandoned together, one that is named twice once', async () => {
  const names = Array.from({ length: 2_001 }, (_, number) => `lfs/ab/${number}`)
  await inTransaction(app.db, (tx) => abandonAll(tx, [...names, ...names.slice(0, 3)]))
  expect((await rows()).toSorted()).toEqual(names.toSorted())
  await inTransaction(app.db, (tx) => abandonAll(tx, []))
})

test('an object abandoned in a rolled-back transaction stays', async () => {
  const key = await store()
  await referTo(key)
  const failing = inTransaction(app.db, async (tx) => {
    await abandon(tx, key)
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  await remove()
  expect([await keys(), await rows()]).toEqual([[key], []])
})

test('wrong or interrupted bytes leave only a row that is removed after a day', async () => {
  const [bytes, broken] = [randomBytes(1_000), new PassThrough()]
  const wrong = { size: 1_000, sha256: 'ab' }
  await expect(storeObject(app, 'lfs', Readable.from([bytes]), wrong)).rejects.toThrow('another SHA-256')
  const breaking = storeObject(app, 'lfs', broken, expected(bytes))
  broken.write('half')
  broken.destroy()
  await expect(breaking).rejects.toThrow('did not arrive whole')
  expect([await keys(), (await rows()).length]).toEqual([[], 2])
  await dayPasses()
  await remove()
  expect(await rows()).toEqual([])
})

test('the row is committed before the first byte is stored', async () => {
  const seen: string[][] = []
  const noting = having({
    async put(key, ...rest) {
      seen.push(await rows())
      await app.store.put(key, ...rest)
      seen.push([key])
    },
  })
  const bytes = randomBytes(10)
  await storeObject(noting, 'lfs', Readable.from([bytes]), expected(bytes))
  expect(seen[0]).toEqual(seen[1])
})

test('where the database fails before the first byte, nothing is stored, and the failure is told', async () => {
  const bytes = randomBytes(10)
  const db = app.db.withSchema('no_such_schema')
  await expect(storeObject({ ...app, db }, 'lfs', Readable.from([bytes]), expected(bytes))).rejects.toThrow('no_such_schema')
  expect(await keys()).toEqual([])
})

test('bytes stored although the answer was lost are removed after a day', async () => {
  const losing = having({
    async put(...all) {
      await app.store.put(...all)
      throw new Error('no answer')
    },
  })
  const bytes = randomBytes(10)
  await expect(storeObject(losing, 'lfs', Readable.from([bytes]), expected(bytes))).rejects.toThrow('no answer')
  expect(await keys()).toEqual(await rows())
  await dayPasses()
  await remove()
  expect([await keys(), await rows()]).toEqual([[], []])
})

test('an upload that lasts for days is not removed', onPostgresAlone('1 s of processor.'), async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  const [slow, bytes] = [new PassThrough(), randomBytes(2_000)]
  const storing = storeObject(app, 'lfs', slow, expected(bytes))
  slow.write(bytes.subarray(0, 1_000))
  await expect.poll(keys).toHaveLength(1)
  for (let hour = 0; hour < 60; hour += 1) {
    const removeAfter = () => app.db.selectFrom('unreferenced_objects').select('remove_after').executeTakeFirstOrThrow()
    const before = await removeAfter()
    vi.advanceTimersByTime(hour_ms)
    await expect.poll(removeAfter).not.toEqual(before)
    await remove()
  }
  slow.end(bytes.subarray(1_000))
  const key = await storing
  expect(await referTo(key)).toBe(true)
  expect((await buffer(await app.store.open(key))).equals(bytes)).toBe(true)
})

test.each(['removed already', 'about to be removed'])(
  'an upload whose time has come unseen, as when the machine slept, fails: %s',
  async (state) => {
    const [slow, bytes] = [new PassThrough(), randomBytes(2_000)]
    const storing = storeObject(app, 'lfs', slow, expected(bytes))
    slow.write(bytes.subarray(0, 1_000))
    await expect.poll(keys).toHaveLength(1)
    await dayPasses()
    if (state === 'removed already') await remove()
    slow.end(bytes.subarray(1_000))
    await expect(storing).rejects.toMatchObject({ code: 'timed_out' })
    await remove()
    expect([await keys(), await rows()]).toEqual([[], []])
  },
)

test('a run that ended between object and row is completed by the next', async () => {
  const [first, second] = [await store(), await store()]
  await dayPasses()
  await app.store.remove(first)
  expect((await rows()).toSorted()).toEqual([first, second].toSorted())
  await remove()
  expect([await keys(), await rows()]).toEqual([[], []])
})

test('a key whose object was never stored is removed', async () => {
  await addUnreferenced(app.db, ['lfs/ab/never'], 0)
  await remove()
  expect(await rows()).toEqual([])
})

test('two processes may remove at the same time, any number of objects', async () => {
  const all = await Promise.all(Array.from({ length: 230 }, () => store(randomBytes(10))))
  const kept = all.slice(0, 5)
  for (const key of kept) await referTo(key)
  await dayPasses()
  await Promise.all([remove(), remove()])
  expect([(await keys()).toSorted(), await rows()]).toEqual([kept.toSorted(), []])
})

test('an object that can’t be removed stays for the next run, and doesn’t block the others', async () => {
  const all = await Promise.all(Array.from({ length: 3 }, () => store()))
  const [stuck] = all.toSorted()
  await dayPasses()
  await remove(having({ remove: (key) => (key === stuck ? Promise.reject(new Error('not now')) : app.store.remove(key)) }))
  expect([await keys(), await rows()]).toEqual([[stuck], [stuck]])
  await remove()
  expect([await keys(), await rows()]).toEqual([[], []])
})

test('a run stops after ten failed removals', async () => {
  for (let number = 0; number < 12; number += 1) await addUnreferenced(app.db, [`lfs/ab/${number}`], 0)
  let calls = 0
  const failing = having({
    async remove() {
      calls += 1
      throw new Error('not now')
    },
  })
  await remove(failing)
  expect([calls, (await rows()).length]).toEqual([10, 12])
})

test('a process that ends stops removing', async () => {
  const key = await store()
  await dayPasses()
  await remove(app, AbortSignal.abort())
  expect([await keys(), await rows()]).toEqual([[key], [key]])
})

test(
  'the same holds for a bucket: stored, referred to, abandoned, interrupted',
  inFullRun('Half a second of processor. `src/store` has the bucket do what the folder does.'),
  async () => {
    const bucket = await testBucket(join(await forge.folder(), 'bucket'))
    onTestFinished(() => bucket.close())
    const { app } = await openForge({ config: { s3: bucket.options } })
    const put = (source: Readable, bytes: Buffer) => storeObject(app, 'lfs', source, expected(bytes))
    const bytes = randomBytes(9_000_000)
    const [kept, abandoned] = [await put(Readable.from([bytes]), bytes), await put(Readable.from([bytes]), bytes)]
    for (const key of [kept, abandoned]) expect(await inTransaction(app.db, (tx) => refer(tx, key))).toBe(true)
    await inTransaction(app.db, (tx) => abandon(tx, abandoned))

    const broken = new PassThrough()
    const breaking = put(broken, bytes)
    breaking.catch(() => {})
    broken.write(bytes.subarray(0, 8_999_999))
    await expect.poll(() => bucket.uploads()).toHaveLength(1)
    // As if its process had died: nobody takes it back.
    const [dead] = await bucket.uploads()
    await app.db
      .updateTable('unreferenced_objects')
      .set({ remove_after: new Date(0).toISOString() })
      .execute()
    await removeObjectsJob.handle(app, {})
    expect([await bucket.keys(), await bucket.uploads(), dead]).toEqual([[kept], [], expect.stringMatching(/^lfs\//)])
    broken.destroy()
    await expect(breaking).rejects.toThrow('did not arrive whole')
    expect((await buffer(await app.store.open(kept))).equals(bytes)).toBe(true)
  },
)
