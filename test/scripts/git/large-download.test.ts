/** Whatever is read of a large repository passes through a server that hardly grows. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { git } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { commit, workTree } from './wire.ts'

const mebibyte = 1024 * 1024
let server: ServerProcess | undefined

afterEach(async () => {
  await server?.stop()
})

/** A commit with two files of 32 MiB of text each, beside a small one. */
async function heavyTree(): Promise<string> {
  const dir = await workTree({ 'small.txt': 'small\n' })
  for (const name of ['a', 'b']) await writeFile(join(dir, `${name}.txt`), `${name.repeat(1023)}\n`.repeat(32 * 1024))
  await commit(dir, {})
  return dir
}

/** How many bytes come, and what of them the reader asked to see. */
async function read({ url }: ServerProcess, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/v4/projects/root%2Fheavy/repository/${path}`, {
    headers: { 'private-token': 'root-token-0123456789', ...headers },
  })
  let size = 0
  for await (const chunk of response.body ?? []) size += chunk.length
  return { status: response.status, size, headers: response.headers }
}

test.skipIf(engine !== 'sqlite')(
  'archives, raw bytes, ranges, and diffs of 64 MB',
  inFullRun('5 s of processor. src/features/repository/contents tests them with small files; only the full run looks at memory.'),
  async () => {
    server = await startServer()
    const dir = await heavyTree()
    await git(dir, 'push', '--quiet', server.remote('heavy'), 'main')
    await server.status('/projects/root%2Fheavy/repository/tree')
    const before = await server.memory('VmHWM')
    const size = 32 * mebibyte

    for (const format of ['tar', 'zip', 'tar.gz']) {
      const { status, size: archive_bytes } = await read(server, `archive.${format}`)
      expect([format, status, format !== 'tar' || archive_bytes > 2 * size]).toEqual([format, 200, true])
    }
    expect(await read(server, 'files/a.txt/raw?ref=main')).toMatchObject({ status: 200, size })
    expect(await read(server, 'files/b.txt/raw?ref=main', { range: `bytes=${size - 9}-` })).toMatchObject({ status: 206, size: 9 })
    for (const path of ['commits/main/diff', 'compare?from=main~1&to=main', 'compare?from=main&to=main~1&straight=true']) {
      const { status, size: told_bytes } = await read(server, path)
      expect([path, status, told_bytes < mebibyte]).toEqual([path, 200, true])
    }
    const grown = (await server.memory('VmHWM')) - before
    expect(grown / mebibyte).toBeLessThan(64)
  },
)
