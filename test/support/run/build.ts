/** Runs once before all tests and after them: what the workers build once and share. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { buildWeb } from '../../../tools/build-web.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    /** The first worker that needs the compiled program puts it here. */
    build_folder: string
    /** The file of the program that starts git. */
    fork_server: string
    /** Prefix of the names of template databases on PostgreSQL. */
    template_prefix: string
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await buildWeb(root, join(root, 'dist', 'web'))
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-build-'))
  project.provide('build_folder', folder)
  project.provide('fork_server', await buildForkServer(folder))
  const prefix = `gitstead_template_${randomBytes(6).toString('hex')}`
  project.provide('template_prefix', prefix)
  return async () => {
    await rm(folder, { recursive: true, force: true })
    await dropDatabases(prefix)
  }
}

async function buildForkServer(folder: string): Promise<string> {
  const outfile = join(folder, 'fork-server.mjs')
  const entryPoints = [join(root, 'src', 'git', 'process', 'fork-server.ts')]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' })
  return outfile
}

/** A server that existed before the tests is left unchanged. */
async function dropDatabases(prefix: string): Promise<void> {
  const url = process.env.GITSTEAD_TEST_DATABASE_URL
  if (!url) return
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>('select datname from pg_database where datname like $1', [`${prefix}%`])
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`)
  await client.end()
}
