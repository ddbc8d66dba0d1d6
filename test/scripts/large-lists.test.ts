/** Whatever the rows of a list hold, and however slowly its answers are read, the server hardly grows. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { fillLargeLists } from './large-lists.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const mebibyte = 1024 * 1024
const readers = 40

test.skipIf(engine !== 'sqlite')(
  'a page of a hundred of the largest rows has all of them, and forty readers that don’t read it keep little in memory',
  {
    ...inFullRun(
      'two minutes. src/http/serve/list-answer.test.ts and test/contract/pages.test.ts hold how lists are read; only the full run looks at memory.',
    ),
    timeout: 30 * 60_000,
  },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'gitstead-lists-'))
    atEndOfFile(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
    const lists = await fillLargeLists(home)
    const seen: unknown[] = []
    for (const path of lists) {
      const server = await startServer({ home })
      const rows = await rowsOf(server, path)
      const slow = await Promise.all(Array.from({ length: readers }, () => slowReader(server, path)))
      const peak = await server.memory('VmHWM')
      seen.push([path, rows, peak < 600 * mebibyte || peak / mebibyte])
      for (const socket of slow) socket.destroy()
      await server.stop()
    }
    expect(seen).toEqual(lists.map((path) => [path, 100, true]))
  },
)

/** Has asked for the list, and reads no further than to where the answer begins. */
async function slowReader({ url, token }: ServerProcess, path: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  atEndOfFile(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(`GET /api/v4${path} HTTP/1.1\r\nHost: ${hostname}\r\nPRIVATE-TOKEN: ${token}\r\n\r\n`)
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      socket.pause()
      resolve()
    })
    socket.once('close', () => resolve())
  })
  return socket
}

async function rowsOf(server: ServerProcess, path: string): Promise<number> {
  return ((await (await server.send('GET', path)).json()) as unknown[]).length
}
