/** Opens what everything else works with, as one value that is passed along: the database, git, the object store, the log, the metrics. */

import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { sealRegistrationTokens } from './access/runners/registration-tokens.ts'
import { reportFailure } from './background.ts'
import type { Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { migrate, requireCurrent } from './db/migrate.ts'
import type { Tables } from './db/tables.ts'
import { prepareCounters } from './db/write-counters.ts'
import { createFoldersDurably, syncFolder } from './durable.ts'
import { StartRefused } from './failure.ts'
import { type Git, type GitOptions, openGit } from './git/repository/repository.ts'
import { type AppLimits, openLimits } from './limits/streams.ts'
import { openLog } from './logging/log.ts'
import { type Metrics, openMetrics } from './logging/metrics.ts'
import { type Mailer, openMailer } from './mail/mailer.ts'
import type { Member } from './processes/member.ts'
import { openSecrets, requireSameKey, type Secrets } from './program/secrets.ts'
import type { ObjectStore } from './store/object-store.ts'
import { openStore } from './store/store.ts'

export interface App {
  config: Config
  db: Kysely<Tables>
  git: Git
  store: ObjectStore
  secrets: Secrets
  log: Logger
  metrics: Metrics
  limits: AppLimits
  /** Null if no mail server is configured. */
  mailer: Mailer | null
  /** This process as one of several; null if it is the only one. */
  member: Member | null
}

/** Hooks for tests, and for processes other than a single server. */
export interface AppOptions {
  onStatement?: (statement: string) => void
  /** Throws to fail the statement. */
  beforeStatement?: (statement: string) => void
  onGitProcess?: (args: string[]) => void
  git?: Pick<GitOptions, 'by_fork_server' | 'isFresh' | 'reader_idle_ms'>
  /** Limit of the SQLite file, in pages. */
  max_pages?: number
  /** For a process beside the server: doesn't migrate, and logs to this file, since its output belongs to a client. */
  beside_server?: { log_file: string }
  /** For one of several processes: only the first prepares the data folder. */
  member?: Member | null
}

/** Marks a data folder while a backup is restored to it (`backup/restore.ts`). */
export const restoring = '.restoring'

/** Opens the data folder, and migrates the schema or requires it to be current. */
export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  await createFoldersDurably(config.home, 0o700)
  await access(config.home, constants.R_OK | constants.W_OK | constants.X_OK)
  if (existsSync(join(config.home, restoring))) {
    throw new StartRefused(`a restore to ${config.home} did not finish; empty the folder and restore again`)
  }
  const { beside_server: beside, member = null } = options
  const isPrepared = member !== null && !member.isFirst
  const metrics = openMetrics(config.home)
  member?.onCollect(() => metrics.registry.getMetricsAsJSON())
  const onDropped = (lines: number) => metrics.logLinesDropped.inc(lines)
  const log = openLog({ level: config.log_level, file: beside?.log_file, onDropped })
  const db = openDatabase(config.database_url ?? join(config.home, 'gitstead.sqlite'), {
    ...options,
    lockWrites: member?.lockWrites,
    onLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  await (beside || isPrepared ? requireCurrent(db) : migrate(db))
  if (!beside) await prepareCounters(db)
  const git = await openGit(config.home, {
    ...options.git,
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
    log.warn('git memory limit not supported on this system')
  if (!beside && !isPrepared && git.ignoresCase)
    log.warn('repositories are on a file system that ignores case: refs that differ only in case are rejected')
  const store = await openStore({ home: config.home, bucket: config.s3 })
  const secrets = await openSecrets(config.home, config.secret_key)
  await requireSameKey(db, secrets, { writes: !beside && !isPrepared })
  if (!beside && !isPrepared) await sealRegistrationTokens(db, secrets)
  // Makes a new database, and the folders beside it, durable.
  if (!beside) await syncFolder(config.home)
  const mailer = config.mail && openMailer(config.mail)
  return { config, db, git, store, secrets, log, metrics, limits: openLimits(config.limits, member), mailer, member }
}

export async function closeApp(app: App): Promise<void> {
  app.git.close()
  app.mailer?.close()
  app.store.close()
  await app.db.destroy()
}
