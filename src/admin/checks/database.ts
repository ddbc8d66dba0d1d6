/** Checks of the database and of the queue in it. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Config } from '../../config.ts'
import { schemaState } from '../../db/migrate.ts'
import type { Tables } from '../../db/tables.ts'
import { listJobs } from '../../queue/administration.ts'
import { type Finding, fail, numberOf, ok, sizeOf, warn } from './findings.ts'

/** Whether a database exists; a database server is assumed to. */
export function hasDatabase({ home, database_url }: Config): boolean {
  return database_url !== null || existsSync(join(home, 'gitstead.sqlite'))
}

export async function checkDatabase(db: Kysely<Tables>, { home, database_url }: Config): Promise<Finding[]> {
  const { applied, missing, unknown } = await schemaState(db)
  const name = database_url === null ? `SQLite, ${sizeOf(await sizeOfSqlite(home))}` : 'PostgreSQL'
  if (unknown.length > 0) {
    const advice = 'start the newer version, or restore a backup'
    return [fail('database', `${name}, written by a newer Gitstead (it has ${unknown.join(', ')})`, advice)]
  }
  if (missing.length > 0)
    return [fail('database', `${name}, lacks ${missing.join(', ')}`, 'start the server of this version, which migrates; back up before')]
  return [ok('database', `${name}, schema ${applied.at(-1)}`)]
}

/** Includes the write-ahead log. */
async function sizeOfSqlite(home: string): Promise<number> {
  const files = await Promise.all(['', '-wal'].map((ending) => stat(join(home, `gitstead.sqlite${ending}`)).catch(() => null)))
  return files.reduce((total, file) => total + (file?.size ?? 0), 0)
}

const maxDelay_ms = 5 * 60_000

export async function checkQueue(db: Kysely<Tables>): Promise<Finding[]> {
  const jobs = await listJobs(db)
  const dead = jobs.filter(({ state }) => state === 'dead')
  const overdue = jobs.filter(({ state, run_at }) => state === 'waiting' && Date.parse(run_at) < Date.now() - maxDelay_ms)
  const findings: Finding[] = []
  if (dead.length > 0) {
    const names = [...new Set(dead.map(({ name }) => name))].join(', ')
    findings.push(
      warn('jobs', `${numberOf(dead.length, 'dead job')} (${names})`, 'see gitstead admin jobs dead, then retry or delete them'),
    )
  }
  if (overdue.length > 0)
    findings.push(
      warn('queue', `${numberOf(overdue.length, 'job')} overdue by minutes`, 'normal while the server is stopped; otherwise see its log'),
    )
  return findings.length > 0 ? findings : [ok('jobs', `${numberOf(jobs.length, 'job')}, none dead, none overdue`)]
}
