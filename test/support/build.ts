/** Runs once before all tests and after them: a folder for the compiled program. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whoever needs the compiled program first puts it here. */
    build_folder: string
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-build-'))
  project.provide('build_folder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
