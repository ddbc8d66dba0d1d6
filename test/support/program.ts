/** The compiled program, built once per run, for tests that start it as a process of its own. */
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { buildProgram } from '../../tools/build-program.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The words that start it; arguments follow them. */
export async function gitsteadProgram(): Promise<[node: string, main: string]> {
  const folder = inject('build_folder')
  const built = join(folder, 'dist')
  // One of the workers compiles, and the others wait for it.
  const first = await mkdir(join(folder, 'begun')).then(
    () => true,
    () => false,
  )
  if (first) await compile(folder, built)
  while (!existsSync(built)) await setTimeout(20)
  return [process.execPath, join(built, 'main.js')]
}

/** The name only appears once everything is there. */
async function compile(folder: string, built: string): Promise<void> {
  const draft = join(folder, 'draft')
  await buildProgram({ target: draft })
  // Built before the first test (`run/build.ts`).
  await cp(join(root, 'dist', 'web'), join(draft, 'web'), { recursive: true })
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await rename(draft, built)
}
