import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { basic, commit, flush, packet, workTree } from './wire.ts'

const mebibyte = 1024 * 1024
let server: ServerProcess | undefined

afterEach(async () => {
  await server?.stop()
})

/** A commit of `count` files of 10 MiB that nothing can compress. */
async function heavyTree(count: number): Promise<string> {
  const dir = await workTree()
  await git(dir, 'config', 'core.compression', '0')
  // No search for likeness in what has none.
  await git(dir, 'config', 'core.bigFileThreshold', '1m')
  for (let index = 0; index < count; index += 1) await writeFile(join(dir, `${index}.bin`), randomBytes(10 * mebibyte))
  await commit(dir, {})
  return dir
}

/** Asks for the pack of a clone, and lets its bytes go by: unpacking it would take git longer than serving it. */
async function sizeOfClone({ remote }: ServerProcess, name: string, head: string): Promise<number> {
  const { origin, pathname, username, password } = new URL(remote(name))
  const response = await fetch(`${origin}${pathname}/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request', ...basic({ username, token: password }) },
    body: new Uint8Array(Buffer.concat([packet(`want ${head}\n`), flush, packet('done\n')])),
  })
  let size = 0
  for await (const chunk of response.body ?? []) size += chunk.length
  return size
}

test.skipIf(engine !== 'sqlite')(
  'a push of 160 MB, and its clone, pass through a server that hardly grows',
  inFullRun('7 s of processor. push.test.ts pushes small things; only the full run looks at memory.'),
  async () => {
    server = await startServer()
    const dir = await heavyTree(16)
    const before = await server.memory('VmRSS')
    await git(dir, 'push', '--quiet', server.remote('heavy'), 'main')
    const cloned_bytes = await sizeOfClone(server, 'heavy', await git(dir, 'rev-parse', 'main'))
    const grown = (await server.memory('VmHWM')) - before

    expect(cloned_bytes / mebibyte).toBeGreaterThan(160)
    expect(grown / mebibyte).toBeLessThan(64)
  },
)

test.skipIf(engine !== 'sqlite')(
  'on a full disk the pusher is told, no ref moves, and the next small push works',
  inFullRun('3 s of processor. full-disk.test.ts fills the disk at a commit of the API.'),
  async () => {
    // No file may grow beyond 8 MiB: what git then meets is what it meets on a full disk.
    server = await startServer({ limit: `ulimit -f ${8 * 1024}; ` })
    const small = await workTree({ 'small.txt': 'small' })
    await git(small, 'push', '--quiet', server.remote('small'), 'main')
    const repositories = async () => (await readdir(join(server?.home ?? '', 'repositories'), { recursive: true })).sort()
    const before = await repositories()

    await git(small, 'checkout', '--quiet', '-b', 'heavy')
    await writeFile(join(small, 'heavy.bin'), randomBytes(12 * mebibyte))
    await commit(small, {})
    const refused = await tryGit(small, 'push', server.remote('small'), 'heavy')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/\[remote rejected\] heavy -> heavy \(unpacker error\)/)])
    expect(await server.status('/projects/root%2Fsmall/repository/branches/heavy')).toBe(404)
    expect(await repositories()).toEqual(before)

    await git(small, 'checkout', '--quiet', 'main')
    await commit(small, { 'more.txt': 'more' })
    await git(small, 'push', '--quiet', server.remote('small'), 'main')
    expect(await server.status('/projects/root%2Fsmall/repository/files/more.txt?ref=main')).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)
