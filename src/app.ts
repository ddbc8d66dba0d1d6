/** Opens what everything else works with: the database, git, the objects store, the log, the metrics. One value, passed along. */

import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { reportFailure } from './background.ts'
import type { Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { migrate, requireCurrent } from './db/migrate.ts'
import type { Tables } from './db/tables.ts'
import { createFoldersDurably, syncFolder } from './durable.ts'
import { StartRefused } from './failure.ts'
import { type Git, openGit } from './git/repository/repository.ts'
import { type AppLimits, openLimits } from './limits/streams.ts'
import { openLog } from './log.ts'
import { type Metrics, openMetrics } from './metrics.ts'
import type { Member } from './processes/member.ts'
import type { ObjectStore } from './store/object-store.ts'
import { openStore } from './store/store.ts'

export interface App {
  config: Config
  db: Kysely<Tables>
  git: Git
  store: ObjectStore
  log: Logger
  metrics: Metrics
  limits: AppLimits
  /** This process as one of several; null when it is the only one. */
  member: Member | null
}

/** What tests look at or hold back. */
export interface AppOptions {
  onStatement?: (statement: string) => void
  /** What it throws is the failure of the statement. */
  beforeStatement?: (statement: string) => void
  onGitProcess?: (args: string[]) => void
  /** Most pages the SQLite file may have. */
  max_pages?: number
  /** For a process beside the server: takes the schema as it is, and logs to this file, as its output is a client's. */
  beside_server?: { log_file: string }
  /** For one process of several: the first prepares the data folder, the others take it as it is. */
  member?: Member | null
}

/** Stands in a data folder as long as a backup is being restored to it (`backup/restore.ts`). */
export const restoring = '.restoring'

/** Opens the data folder and brings the schema up to date, or refuses one that isn't. */
export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  await createFoldersDurably(config.home, 0o700)
  await access(config.home, constants.R_OK | constants.W_OK | constants.X_OK)
  if (existsSync(join(config.home, restoring))) {
    throw new StartRefused(`a restore to ${config.home} has not ended; empty the folder and restore again`)
  }
  const { beside_server: beside, member = null } = options
  const isPrepared = member !== null && !member.isFirst
  const metrics = openMetrics()
  member?.onCollect(() => metrics.registry.getMetricsAsJSON())
  const onDropped = (lines: number) => metrics.logLinesDropped.inc(lines)
  const log = openLog({ level: config.log_level, file: beside?.log_file, onDropped })
  const db = openDatabase(config.database_url ?? join(config.home, 'gitstead.sqlite'), {
    ...options,
    lockWrites: member?.lockWrites,
    onLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  await (beside || isPrepared ? requireCurrent(db) : migrate(db))
  const git = await openGit(config.home, {
    memory_bytes: config.limits.git_memory_bytes,
    processes: config.processes,
    isPrepared,
    onSpawn(args) {
      metrics.gitProcesses.inc({ command: args[0] ?? '' })
      options.onGitProcess?.(args)
    },
    onKill: (kill) => log[kill.reason === 'client gone' ? 'info' : 'warn'](kill, 'git killed'),
    onFailure: (error, message) => reportFailure({ log, metrics }, error, message),
  })
  if (!beside && !isPrepared && config.limits.git_memory_bytes !== null && !(await git.isMemoryLimited()))
    log.warn('this system does not limit the memory of git processes')
  const store = await openStore({ folder: join(config.home, 'objects'), bucket: config.s3 })
  // A new database, and the folders beside it, are there only once this is flushed.
  if (!beside) await syncFolder(config.home)
  return { config, db, git, store, log, metrics, limits: openLimits(config.limits, member?.limiter), member }
}

export async function closeApp(app: App): Promise<void> {
  app.git.close()
  app.store.close()
  await app.db.destroy()
}
