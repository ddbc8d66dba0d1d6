import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFolder } from './folder.ts'
import type { ObjectStore } from './object-store.ts'

let folder: string
let store: ObjectStore

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'gitstead-folder-')), 'objects')
  store = await openFolder(folder)
})

afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }))

const put = (key: string, text = 'text') => store.put(key, Readable.from([Buffer.from(text)]), text.length)
const modeOf = async (...path: string[]) => ((await stat(join(folder, ...path))).mode & 0o777).toString(8)

test('nobody but the owner can read what is kept', async () => {
  await put('lfs/cd/one')
  const modes = [await modeOf('.unfinished'), await modeOf('lfs'), await modeOf('lfs', 'cd'), await modeOf('lfs', 'cd', 'one')]
  expect(modes).toEqual(['700', '700', '700', '600'])
})

test('clients fetch it from us: there is no address', async () => {
  expect(await store.address('lfs/cd/one', 60)).toBeNull()
})

test('a temp file left by a crash is invisible, survives a restart, and is removed with its key', async () => {
  await writeFile(join(folder, '.unfinished', 'lfs.ab.half'), 'half')
  await writeFile(join(folder, '.unfinished', 'lfs.ab.other'), 'half')
  const again = await openFolder(folder)
  await expect(again.open('lfs/ab/half')).rejects.toMatchObject({ code: 'not_found' })
  await again.remove('lfs/ab/half')
  expect(await readdir(join(folder, '.unfinished'))).toEqual(['lfs.ab.other'])
  await again.remove('lfs/ab/other')
})

test('a draft is the file that its object will be: nothing is copied, nobody else can read it, and closing it leaves the object', async () => {
  const draft = await store.openDraft()
  await draft.append(Buffer.from('text'))
  const { ino, mode } = await stat(draft.path as string)
  await store.putDraft('lfs/cd/draft', draft, async () => {})
  await draft.close()
  const kept = await stat(join(folder, 'lfs', 'cd', 'draft'))
  expect([kept.ino, kept.size, mode & 0o777, await readdir(join(folder, '.drafts'))]).toEqual([ino, 4, 0o600, []])
})

test('a draft that a killed process left goes once it is old', async () => {
  const [old, fresh] = [await store.openDraft(), await store.openDraft()]
  const yesterday = new Date(Date.now() - 24 * 3_600_000)
  await utimes(old.path as string, yesterday, yesterday)
  await store.removeForgotten()
  expect((await readdir(join(folder, '.drafts'))).map((name) => join(folder, '.drafts', name))).toEqual([fresh.path])
  await Promise.all([old, fresh].map((draft) => draft.close()))
})

test('one of two concurrent puts of a key fails, and the other is whole', async () => {
  const results = await Promise.allSettled([put('lfs/ef/twice'), put('lfs/ef/twice')])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect([(await stat(join(folder, 'lfs', 'ef', 'twice'))).size, await readdir(join(folder, '.unfinished'))]).toEqual([4, []])
})

test('a put that is blocked fails, and leaves nothing', async () => {
  await writeFile(join(folder, 'in-the-way'), '')
  await expect(put('in-the-way/ab')).rejects.toThrow('EEXIST')
  expect(await readdir(join(folder, '.unfinished'))).toEqual([])
})
