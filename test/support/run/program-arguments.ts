/**
 * Replaces `src/sandbox/program-arguments.ts` in tests (`vitest.config.ts`). Programs of the sandbox are compiled once per run: with the
 * loader of their sources, each process took a second of processor time to start.
 */
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { SandboxProgram } from '../../../src/sandbox/program-arguments.ts'
import { onceForAll } from './once-for-all.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export async function programArguments({ source, shipped }: SandboxProgram): Promise<string[]> {
  const name = shipped.replace(/\W+/g, '-')
  const file = await onceForAll(`sandbox${name}`, async (folder) => {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    const outfile = join(folder, 'program.mjs')
    await build({ entryPoints: [fileURLToPath(source)], outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
    return outfile
  })
  return [file]
}
