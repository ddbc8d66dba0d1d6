/** `gitstead admin doctor`: checks an installation and gives advice. It changes nothing, whether or not the server runs. */
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { App } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { type Git, openGit } from '../git/repository/repository.ts'
import { explainStart } from '../program/start-failures.ts'
import { checkDatabase, checkQueue, hasDatabase } from './checks/database.ts'
import { type Finding, fail, lineOf, ok } from './checks/findings.ts'
import { checkFolder, checkHooks } from './checks/folder.ts'
import { checkClock, checkPrograms, checkSpace } from './checks/machine.ts'
import { checkPublicAddress, checkServer, checkSsh } from './checks/network.ts'
import { checkObjects } from './checks/objects.ts'
import { checkRepositories } from './checks/repositories.ts'

export type { Finding }

interface DoctorOptions {
  json: boolean
  /** Whether warnings count as failures. */
  strict: boolean
  becomeOwnerOf: (home: string) => void
  printLine: (line: string) => void
}

/** Prints a line for each finding. Returns the exit status: 1 if something failed. */
export async function runDoctor(env: NodeJS.ProcessEnv, { json, strict, becomeOwnerOf, printLine }: DoctorOptions): Promise<number> {
  const findings: Finding[] = []
  for await (const finding of examine(env, becomeOwnerOf)) {
    findings.push(finding)
    if (!json) printLine(lineOf(finding))
  }
  if (json) printLine(JSON.stringify(findings))
  return findings.some(({ level }) => level === 'fail' || (strict && level === 'warn')) ? 1 : 0
}

async function* examine(env: NodeJS.ProcessEnv, becomeOwnerOf: (home: string) => void): AsyncGenerator<Finding> {
  let config: Config
  try {
    config = readConfig(env)
    becomeOwnerOf(config.home)
  } catch (error) {
    yield fail('settings', (error as Error).message, 'correct it, or run this command as the user of the server; --help lists all settings')
    return
  }
  yield ok('settings', `data folder ${config.home}, address ${config.url}`)
  // Writes nothing: hooks and configuration of git belong to the server.
  const git = await openGit(config.home, { isPrepared: true, isReadOnly: true, memory_bytes: null })
  try {
    yield* outcomeOf('programs', config, () => checkPrograms(git, config))
    yield* outcomeOf('folder', config, () => checkFolder(config))
    yield* outcomeOf('space', config, () => checkSpace(config))
    yield* outcomeOf('hooks', config, () => checkHooks(config))
    yield* examineDatabase(config, git)
    yield* outcomeOf('server', config, () => checkServer(config))
    yield* outcomeOf('ssh', config, () => checkSsh(config))
    yield* outcomeOf('address', config, () => checkPublicAddress(config))
  } finally {
    git.close()
  }
}

/**
 * The checks that a running server can do without costly reads, for its health page. Two statements and one git process; nothing is
 * written.
 */
export async function examineRunning({ config, db, git }: Pick<App, 'config' | 'db' | 'git'>): Promise<Finding[]> {
  const found = await Promise.all([
    outcomesOf('programs', config, () => checkPrograms(git, config)),
    outcomesOf('folder', config, () => checkFolder(config)),
    outcomesOf('space', config, () => checkSpace(config)),
    outcomesOf('hooks', config, () => checkHooks(config)),
    outcomesOf('database', config, () => checkDatabase(db, config)),
    outcomesOf('clock', config, () => checkClock(db, config)),
    outcomesOf('ssh', config, () => checkSsh(config)),
  ])
  return found.flat()
}

async function* examineDatabase(config: Config, git: Git): AsyncGenerator<Finding> {
  // Opening a missing SQLite file would create it.
  if (!hasDatabase(config)) return void (yield ok('database', 'none yet; the first start of the server creates it'))
  let db: Kysely<Tables>
  try {
    db = openDatabase(config.database_url ?? join(config.home, 'gitstead.sqlite'))
  } catch (error) {
    return void (yield failure('database', config, error))
  }
  try {
    const findings = await outcomesOf('database', config, () => checkDatabase(db, config))
    yield* findings
    if (findings.some(({ level }) => level === 'fail')) return
    yield* outcomeOf('clock', config, () => checkClock(db, config))
    yield* outcomeOf('jobs', config, () => checkQueue(db))
    yield* outcomeOf('repositories', config, () => checkRepositories(db, git))
    yield* outcomeOf('objects', config, () => checkObjects(db, config))
  } finally {
    await db.destroy()
  }
}

async function* outcomeOf(check: string, config: Config, work: () => Promise<Finding[]>): AsyncGenerator<Finding> {
  yield* await outcomesOf(check, config, work)
}

async function outcomesOf(check: string, config: Config, work: () => Promise<Finding[]>): Promise<Finding[]> {
  return work().catch((error: unknown) => [failure(check, config, error)])
}

/** A check that could not be performed counts as failed. */
function failure(check: string, config: Config, error: unknown): Finding {
  return fail(check, explainStart(error, config) ?? (error as Error).message, 'correct this, then check again')
}
