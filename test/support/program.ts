/** The program as it is shipped, compiled once for a run of the tests: for those that start it as a process of its own. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { buildWeb } from '../../tools/build-web.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The words that start it; those of its command line come after them. */
export async function gitsteadProgram(): Promise<[node: string, main: string]> {
  const folder = inject('build_folder')
  const built = join(folder, 'dist')
  // Of the workers one compiles, and the others wait for it.
  const first = await mkdir(join(folder, 'begun')).then(
    () => true,
    () => false,
  )
  if (first) await compile(folder, built)
  while (!existsSync(built)) await setTimeout(20)
  return [process.execPath, join(built, 'main.js')]
}

/** Types are for `npm run check` to judge. The name appears once all is there. */
async function compile(folder: string, built: string): Promise<void> {
  const draft = join(folder, 'draft')
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', draft, '--noCheck', '--sourceMap', 'false']
  await promisify(execFile)(join(root, 'node_modules', '.bin', 'tsc'), options)
  await buildWeb(root, join(draft, 'web'))
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await rename(draft, built)
}
