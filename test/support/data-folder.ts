/** A copy of a data folder after the first start of a server: a start that migrates and generates keys takes half a second more. */
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { hostKeys } from '../../src/transport/ssh/host-keys.ts'
import type { FreshDatabase } from './database.ts'
import { forgeDatabase } from './forge.ts'

/** Fills an empty folder with host keys and a database: a file in it, or a database on PostgreSQL. */
export async function prepareDataFolder(home: string): Promise<FreshDatabase> {
  await mkdir(home, { recursive: true })
  await copyHostKeys(home)
  return forgeDatabase(home)
}

/** Generated once per run, by the first worker that needs it. */
let generated: Promise<unknown> | null = null

/** Gives a data folder the host keys that all servers of the tests share. */
export async function copyHostKeys(home: string): Promise<void> {
  const from = join(inject('build_folder'), 'ssh')
  generated ??= hostKeys(from)
  await generated
  const to = join(home, 'ssh')
  await mkdir(to, { recursive: true, mode: 0o700 })
  const names = (await readdir(from)).filter((name) => /^ssh_host_[a-z0-9]+_key(\.pub)?$/.test(name))
  await Promise.all(names.map((name) => copyFile(join(from, name), join(to, name))))
}
