/** Opens what everything else works with: the database, git, the objects store, the log, the metrics. One value, passed along. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { migrate, requireCurrent } from './db/migrate.ts'
import type { Tables } from './db/tables.ts'
import { type Git, openGit } from './git/repository.ts'
import { type Metrics, openMetrics } from './metrics.ts'
import type { Member } from './processes/member.ts'
import { type ObjectStore, openStore } from './store/store.ts'

export interface App {
  config: Config
  db: Kysely<Tables>
  git: Git
  store: ObjectStore
  log: Logger
  metrics: Metrics
  /** This process as one of several; null when it is the only one. */
  member: Member | null
}

/** What tests look at or hold back. */
export interface AppOptions {
  onStatement?: (statement: string) => void
  onGitProcess?: (args: string[]) => void
  /** Most pages the SQLite file may have. */
  max_pages?: number
  /** For a process beside the server: takes the schema as it is, and logs to this file, as its output is a client's. */
  beside_server?: { log_file: string }
  /** For one process of several: the first prepares the data folder, the others take it as it is. */
  member?: Member | null
}

/** Opens the data folder and brings the schema up to date, or refuses one that isn't. */
export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  await mkdir(config.home, { recursive: true, mode: 0o700 })
  const { beside_server: beside, member = null } = options
  const isPrepared = member !== null && !member.isFirst
  const redact = ['req.headers', 'token', 'password', 'err.config']
  const log = pino({ level: config.log_level, redact }, pino.destination({ dest: beside?.log_file ?? 1, mkdir: true, mode: 0o600 }))
  const metrics = openMetrics()
  member?.onCollect(() => metrics.registry.getMetricsAsJSON())
  const location = config.database_url ?? join(config.home, 'gitstead.sqlite')
  const db = openDatabase(location, { ...options, lockWrites: member?.lockWrites })
  await (beside || isPrepared ? requireCurrent(db) : migrate(db))
  const git = await openGit(config.home, {
    processes: config.processes,
    isPrepared,
    onSpawn(args) {
      metrics.gitProcesses.inc({ command: args[0] ?? '' })
      options.onGitProcess?.(args)
    },
  })
  const store = await openStore({ folder: join(config.home, 'objects'), bucket: config.s3 })
  return { config, db, git, store, log, metrics, member }
}

export async function closeApp(app: App): Promise<void> {
  app.git.close()
  app.store.close()
  await app.db.destroy()
}
