/** A data folder as the first start of a server leaves it, copied: a start that migrates and generates keys costs half a second more. */
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { hostKeys } from '../../src/transport/ssh/host-keys.ts'
import type { FreshDatabase } from './database.ts'
import { forgeDatabase } from './forge.ts'

/** Fills an empty folder with host keys, and gives it a database: a file in it, or its own on PostgreSQL. */
export async function prepareDataFolder(home: string): Promise<FreshDatabase> {
  await mkdir(home, { recursive: true })
  await copyHostKeys(home)
  return forgeDatabase(home)
}

/** Generated once in a run of the tests, by the worker that comes first. */
let generated: Promise<unknown> | null = null

/** Gives a data folder the host keys that all servers of the tests have. */
export async function copyHostKeys(home: string): Promise<void> {
  const from = join(inject('build_folder'), 'ssh')
  generated ??= hostKeys(from)
  await generated
  const to = join(home, 'ssh')
  await mkdir(to, { recursive: true, mode: 0o700 })
  const names = (await readdir(from)).filter((name) => /^ssh_host_[a-z0-9]+_key(\.pub)?$/.test(name))
  await Promise.all(names.map((name) => copyFile(join(from, name), join(to, name))))
}
