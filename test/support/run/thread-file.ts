/**
 * Replaces `src/threads/thread-file.ts` in tests (`vitest.config.ts`). Programs of worker threads are compiled once per run: with the
 * loader of their sources, each thread took a second of processor time to start.
 */
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { ThreadFile, ThreadProgram } from '../../../src/threads/thread-file.ts'
import { onceForAll } from './once-for-all.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export async function threadFile({ source, shipped }: ThreadProgram): Promise<ThreadFile> {
  const name = shipped.replace(/\W+/g, '-')
  const file = await onceForAll(`thread${name}`, async (folder) => {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    const outfile = join(folder, 'program.mjs')
    await build({ entryPoints: [fileURLToPath(source)], outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
    return outfile
  })
  return { file, eval: false }
}
