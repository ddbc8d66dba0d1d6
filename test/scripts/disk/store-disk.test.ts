/** A store in a folder reports a disk that is full or fails, and leaves nothing of the file behind. */

import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { isGate } from '../../support/run/tiers.ts'

const run = promisify(execFile)
const works = (program: string, ...args: string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  )

const program = fileURLToPath(new URL('store-into.ts', import.meta.url))

/** Whether system calls can be made to fail here: strace is on the machine, and allowed. */
const canInject = await works('strace', '-e', 'inject=fsync:error=EIO', '-o', '/dev/null', 'true')
/** Whether a small disk can be made: by a namespace of one's own. */
const canMount = await works('unshare', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', '/mnt')

/** The last words of a process that stores 4 MB: what the put came to, and what is in the folder. */
async function storeInto(folder: string, before: string[]): Promise<unknown> {
  await mkdir(folder, { recursive: true })
  const [command = '', ...args] = [...before, process.execPath, '--import', 'tsx', program, folder]
  return JSON.parse((await run(command, args)).stdout)
}

test.skipIf(!canMount || engine === 'postgres')('a full disk is storage_full, and nothing is left on it', async () => {
  const folder = join(await (await testForge()).folder(), 'small')
  const inside = ['unshare', '--map-root-user', '--mount', 'sh', '-c', `mount -t tmpfs -o size=1m none ${folder} && exec "$@"`, 'sh']
  expect(await storeInto(folder, inside)).toEqual({ failed: 'storage_full', files: [] })
})

const faults = {
  'flushing fails with EIO': ['fsync:error=EIO', 'EIO'],
  'flushing fails for want of room': ['fsync:error=ENOSPC', 'storage_full'],
  'moving it to its place fails for want of room': ['rename:error=ENOSPC', 'storage_full'],
} as const

/** 1 s of processor each. The gate has one of them, and a full disk above. */
const tried = Object.entries(faults).filter(([name]) => !isGate || name === 'flushing fails with EIO')

test.skipIf(!canInject || engine === 'postgres').each(tried)('where %s the put fails, and nothing is there', async (_, [fault, failed]) => {
  const folder = await (await testForge()).folder()
  const failing = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `inject=${fault}`]
  expect(await storeInto(folder, failing)).toEqual({ failed, files: [] })
})

test.skipIf(!canInject || engine === 'postgres')('a put flushes its file, and then every folder that leads to it', async () => {
  const folder = await (await testForge()).folder()
  const log = join(folder, 'calls')
  const watched = ['strace', '-f', '-qq', '-y', '-o', log, '-e', 'trace=fsync,fdatasync,rename']
  const objects = join(folder, 'objects')
  expect(await storeInto(objects, watched)).toEqual({ failed: null, files: ['lfs/ab/object'] })
  const { stdout } = await run('grep', ['-oE', '(fsync|rename)\\(.*', log])
  const calls = stdout.split('\n').flatMap((line) => /^(fsync|rename)\([^</"]*[<"]([^">]*)/.exec(line)?.slice(1, 3).join(' ') ?? [])
  const draft = join(objects, '.unfinished', 'lfs.ab.object')
  const folders = [join(objects, 'lfs', 'ab'), join(objects, 'lfs'), objects]
  expect(calls.filter((call) => call.includes(objects))).toEqual([
    `fsync ${draft}`,
    `rename ${draft}`,
    ...folders.map((path) => `fsync ${path}`),
  ])
  expect(await readdir(join(objects, '.unfinished'))).toEqual([])
})
