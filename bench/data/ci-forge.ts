/** A forge on each engine for the benches of CI, with runners and a project whose file says what its jobs are. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../tools/postgres.mjs'
import { createDatabase } from '../databases.ts'
import { type Forge, startForge } from '../forge.ts'
import { pause } from '../processes.ts'
import type { Row } from '../report.ts'
import { onlyEngine } from '../settings.ts'

export interface CiForge {
  engine: string
  forge: Forge
  /** The database: a file, or a `postgres://` URL. */
  location: string
}

/** The rows of a fresh forge on each engine; without a PostgreSQL server on this machine only those of SQLite. */
export async function onFreshForges(folder: string, measure: (on: CiForge) => Promise<Row[]>): Promise<Row[]> {
  const run = async (engine: string, database_url?: string) => {
    const home = join(folder, `ci-${engine}`)
    mkdirSync(home, { mode: 0o700 })
    const forge = await startForge(home, database_url === undefined ? {} : { database_url })
    try {
      return await measure({ engine, forge, location: database_url ?? join(home, 'gitstead.sqlite') })
    } finally {
      await forge.stop()
    }
  }
  const rows = onlyEngine === 'postgres' ? [] : await run('SQLite')
  const postgres = onlyEngine === 'sqlite' ? null : await startPostgres()
  if (!postgres) return rows
  try {
    return [...rows, ...(await run('PostgreSQL', await createDatabase(postgres.url, 'ci')))]
  } finally {
    await postgres.stop()
  }
}

/** The tokens of new runners of the instance. */
export async function makeRunners({ call }: Forge, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let number = 0; number < count; number += 1) {
    const made = (await call('POST', '/user/runners', { runner_type: 'instance_type', description: `bench ${number}` })) as {
      token: string
    }
    tokens.push(made.token)
  }
  return tokens
}

/** A project with this CI file on `main`; the pipeline of the push is created, and gone. */
export async function makeProject({ call }: Forge, name: string, file: string): Promise<number> {
  const { id } = (await call('POST', '/projects', { name })) as { id: number }
  await call('POST', `/projects/${id}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: file,
    commit_message: 'Add the CI file',
  })
  for (;;) {
    const [pipeline] = (await call('GET', `/projects/${id}/pipelines`)) as Array<{ id: number }>
    if (pipeline) {
      await call('DELETE', `/projects/${id}/pipelines/${pipeline.id}`)
      return id
    }
    await pause(50)
  }
}
