import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outputOf, type Span, whenStarted } from './output.ts'
import { type Spawn, spawner } from './run.ts'

let dir: string
let start: Spawn

/** Git aliases stand in for commands that write, hang or fail. */
const aliases = `[alias]
	count = !seq 1 200000
	silent = !true
	fail = "!echo what went wrong >&2; exit 3"
	break = "!seq 1 50000; exit 3"
	endless = !yes
	hang = !sleep 47
`

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gitstead-output-'))
  await writeFile(join(dir, 'test-config'), aliases)
  start = spawner({ config_file: join(dir, 'test-config') })
})

afterAll(() => rm(dir, { recursive: true }))

const open = (word: string, span?: Span) => {
  const child = start([word], { dir })
  return { child, stream: outputOf(child, [word], span) }
}
const read = async (word: string, span?: Span) => Buffer.concat(await open(word, span).stream.toArray())
const counted = Buffer.from(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(''))

test('the output is complete, and a range has just its bytes', async () => {
  expect((await read('count')).equals(counted)).toBe(true)
  const last = counted.length - 1
  for (const [from, to] of [
    [0, 0],
    [0, 9],
    [5, 70_000],
    [65_535, 65_536],
    [65_536, 131_071],
    [last - 5, last],
    [last, last],
    [0, last],
  ] as const) {
    expect([from, to, (await read('count', { start: from, end: to })).equals(counted.subarray(from, to + 1))]).toEqual([from, to, true])
  }
  expect(await read('silent')).toHaveLength(0)
})

test('a process that fails after its first bytes fails the stream: truncated output never looks complete', async () => {
  await expect(read('break')).rejects.toMatchObject({ code: 'git_failed' })
})

test('a process that fails before its first byte fails before the stream begins', async () => {
  await expect(whenStarted(open('fail').stream)).rejects.toMatchObject({ code: 'git_failed', status: 500 })
  expect((await (await whenStarted(open('silent').stream)).toArray()).length).toBe(0)
  expect((await (await whenStarted(open('count').stream)).toArray()).length).toBeGreaterThan(0)
})

test('closing the stream ends the process, whether or not it has written anything', async () => {
  const codeAfterClosing = async (word: string) => {
    const { child, stream } = open(word)
    stream.destroy()
    return (await child.finished).code
  }
  expect(await codeAfterClosing('hang')).toBe(-1)
  // Killed, or ended by itself since nobody takes what it writes, by the write that fails or by SIGPIPE: whichever comes first.
  expect([-1, 1, 128 + constants.signals.SIGPIPE]).toContain(await codeAfterClosing('endless'))
})

test('a process is ended once its range is complete', async () => {
  const { child, stream } = open('endless', { start: 100_000, end: 100_003 })
  expect(Buffer.concat(await stream.toArray()).toString()).toBe('y\ny\n')
  expect((await child.finished).code).toBe(-1)
})

test('a reader that doesn’t read applies backpressure', async () => {
  const { child, stream } = open('endless')
  await whenStarted(stream)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(stream.readableLength + (stream as Transform).writableLength).toBeLessThan(1024 * 1024)
  stream.destroy()
  await child.finished
})
