/** Lines that can't be written are dropped and counted; the process goes on, and nothing waits for the log. */
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLog } from './log.ts'
import { lineWriter } from './log-writer.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gitstead-log-'))
})

afterAll(() => rm(folder, { recursive: true }))

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`)

test('lines arrive whole and in order', async () => {
  const file = join(folder, 'below', 'log')
  const log = openLog({ level: 'info', file })
  for (let count = 0; count < 1_000; count += 1) log.info({ count }, 'counted')
  await expect.poll(async () => (await readFile(file, 'utf8')).split('\n').length).toBe(1_001)
  const counts = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { count: number }).count)
  expect(counts).toEqual(Array.from({ length: 1_000 }, (_, index) => index))
})

test('on a full disk lines are dropped and counted, flushing ends, and nothing is thrown', async () => {
  const full = openSync('/dev/full', 'w')
  let dropped = 0
  const writer = lineWriter(full, (count) => {
    dropped += count
  })
  for (const line of lines(100)) writer.write(line)
  writer.flushSync()
  await expect.poll(() => dropped).toBe(100)
  closeSync(full)
})

test('a stalled reader costs a bounded number of lines in memory, and gets them when it reads again', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  // Opened for both, so that nobody waits for the other; what is read is read by the child.
  const fd = openSync(pipe, 'r+')
  let dropped = 0
  const writer = lineWriter(fd, (count) => {
    dropped += count
  })
  const line = `${'x'.repeat(1_023)}\n`
  for (let count = 0; count < 3_000; count += 1) writer.write(line)
  expect(dropped).toBeGreaterThan(1_900)
  const reader = spawn('cat', [pipe])
  let read = 0
  reader.stdout.on('data', (chunk: Buffer) => {
    read += chunk.length
  })
  await expect.poll(() => read).toBe((3_000 - dropped) * 1_024)
  reader.kill()
  closeSync(fd)
})
