/** A disk that is full from some call on: a preloaded library (`full-disk.c`), in a server and all its child processes. */
import { execFile } from 'node:child_process'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const source = fileURLToPath(new URL('full-disk.c', import.meta.url))

export interface FullDisk {
  /** For `startServer`. */
  limit: string
  programs: string
  /** From the n-th call that allocates space on, none succeeds. */
  fillAfter: (calls: number) => Promise<void>
  /** Frees space; returns how many calls there were, and how many failed. */
  makeRoom: () => Promise<{ calls: number; failed: number }>
}

/**
 * @param folder for the library and its state
 * @param home the data folder: nothing fails outside of it
 */
export async function fullDisk(folder: string, home: string): Promise<FullDisk> {
  const [library, state, programs] = [join(folder, 'full-disk.so'), join(folder, 'state'), join(folder, 'bin')]
  await run('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  await writeFile(state, Buffer.alloc(24))
  await mkdir(programs)
  const settings = `LD_PRELOAD=${library} FULL_DISK_STATE=${state} FULL_DISK_BELOW=${home}`
  const { stdout: git } = await run('sh', ['-c', 'command -v git'])
  // The server starts git with an environment of its own, so this wrapper sets the variables again.
  await writeFile(join(programs, 'git'), `#!/bin/sh\n${settings} exec ${git.trim()} "$@"\n`, { mode: 0o755 })
  const file = await open(state, 'r+')
  return {
    limit: `export ${settings}; `,
    programs,
    async fillAfter(calls) {
      const numbers = Buffer.alloc(24)
      await file.write(numbers, 8, 16, 8)
      numbers.writeBigInt64LE(BigInt(calls))
      await file.write(numbers, 0, 8, 0)
    },
    async makeRoom() {
      await file.write(Buffer.alloc(8), 0, 8, 0)
      const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 8)
      return { calls: Number(buffer.readBigInt64LE(0)), failed: Number(buffer.readBigInt64LE(8)) }
    },
  }
}

/** Why it isn't possible here; null if it is. */
export async function whyNoFullDisk(): Promise<string | null> {
  if (process.platform !== 'linux') return 'the library is for Linux'
  return run('cc', ['--version']).then(
    () => null,
    () => 'there is no C compiler',
  )
}
