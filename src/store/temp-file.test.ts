import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { openTempFile, removeForgotten, tempFolder } from './temp-file.ts'

const made: string[] = []
afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))))

async function home(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-scratch-'))
  made.push(folder)
  return folder
}

test('what is appended can be read from any byte on, again and again, and has no name', async () => {
  const folder = await home()
  const file = await openTempFile(folder)
  await file.append(Buffer.from('Hello '))
  await file.append(Buffer.from('world'))

  const texts = [await buffer(file.open()), await buffer(file.open(6)), await buffer(file.open(100))].map(String)

  expect([file.size, ...texts]).toEqual([11, 'Hello world', 'world', ''])
  expect(file.sum()).toEqual({ size: 11, sha256: createHash('sha256').update('Hello world').digest('hex') })
  expect(await readdir(tempFolder(folder))).toEqual([])
  await file.close()
})

test('a reader that is ended, or is too late, touches no other file', async () => {
  const folder = await home()
  const first = await openTempFile(folder)
  await first.append(Buffer.from('first'))
  const ended = first.open()
  ended.destroy()
  const late = first.open()
  await first.close()
  // It gets the number that the first one had.
  const second = await openTempFile(folder)
  await second.append(Buffer.from('second'))

  await expect(buffer(late)).rejects.toThrow()

  expect(String(await buffer(second.open()))).toBe('second')
  await Promise.all([first.close(), second.close()])
})

test('names that a killed process left go once they are old', async () => {
  const folder = await home()
  await (await openTempFile(folder)).close()
  await writeFile(join(tempFolder(folder), 'old'), '')
  await writeFile(join(tempFolder(folder), 'fresh'), '')
  const yesterday = new Date(Date.now() - 24 * 3_600_000)
  await utimes(join(tempFolder(folder), 'old'), yesterday, yesterday)

  await removeForgotten(tempFolder(folder))
  await removeForgotten(join(folder, 'nowhere'))

  expect(await readdir(tempFolder(folder))).toEqual(['fresh'])
})
