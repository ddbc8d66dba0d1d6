/** Explains a failed start in one line that names the setting, for errors of the system and of databases. */
import { join } from 'node:path'
import pg from 'pg'
import type { Config } from '../config.ts'
import { Failure, StartRefused } from '../failure.ts'

type SystemError = Partial<NodeJS.ErrnoException> & { address?: string; port?: number }

/** One line for the administrator; null for bugs. Never contains a password. */
export function explainStart(thrown: unknown, config: Config | null): string | null {
  if (thrown instanceof StartRefused || config === null) return null
  // Other failures have a message of their own.
  if (thrown instanceof Failure && !/^(database_unavailable|storage_full)$/.test(thrown.code)) return null
  const error = (thrown instanceof Failure ? (thrown.cause ?? thrown) : thrown) as SystemError
  // Lookup errors of PostgreSQL are wrapped in a Failure; a bare one is about the listening address. Workers listen through their primary,
  // whose failure is `bind`.
  const isListening = /^(listen|bind)$/.test(error.syscall ?? '') || (error.syscall === 'getaddrinfo' && error === thrown)
  if (isListening) return explainListen(error, config)
  if (config.database_url !== null && isOfPostgres(thrown, error)) return explainPostgres(error, config.database_url)
  if (error.code?.startsWith('SQLITE_')) return explainSqlite(error, config)
  return error.path !== undefined || error.code === 'ENOSPC' ? explainFile(error, config) : null
}

function explainListen({ code }: SystemError, { host, port }: Config): string | null {
  if (code === 'EADDRINUSE') return `GITSTEAD_PORT must be a free port (got ${port}, which another program uses on ${host})`
  if (code === 'EACCES') return `GITSTEAD_PORT must be a port this user may listen on (got ${port}; ports below 1024 need privileges)`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EINVAL') {
    return `GITSTEAD_HOST must be an address of this machine (got "${host}")`
  }
  return null
}

function isOfPostgres(thrown: unknown, error: unknown): boolean {
  return (thrown instanceof Failure && thrown.code === 'database_unavailable') || error instanceof pg.DatabaseError
}

const systemWords: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'the connection was reset',
  ENOENT: 'no such socket',
}

function explainPostgres(error: SystemError, database_url: string): string {
  // A host with several addresses reports one error for each.
  const { errors: [first] = [] } = error as { errors?: SystemError[] }
  const why = systemWords[error.code ?? first?.code ?? ''] ?? error.message ?? 'no answer'
  return `GITSTEAD_DATABASE_URL must name a PostgreSQL database that can be used (got "${withoutSecrets(database_url)}"): ${why}`
}

/** Passwords may be in the user part or in the query. */
function withoutSecrets(database_url: string): string {
  const url = new URL(database_url)
  url.password = ''
  url.search = ''
  return url.href
}

const sqliteWords: Array<[RegExp, string]> = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'is damaged; restore it from a backup'],
  [/^SQLITE_(BUSY|LOCKED)/, 'is locked by another program'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/, 'cannot be opened for writing'],
  [/^SQLITE_FULL/, 'cannot grow: the disk is full'],
  [/^SQLITE_IOERR/, 'cannot be read or written'],
]

function explainSqlite({ code = '', message }: SystemError, { home }: Config): string | null {
  const file = join(home, 'gitstead.sqlite')
  const why = sqliteWords.find(([pattern]) => pattern.test(code))?.[1]
  return why === undefined ? null : `GITSTEAD_HOME: the database "${file}" ${why} (${code}: ${message})`
}

function explainFile({ code, path, message }: SystemError, { home }: Config): string | null {
  const inside = path === undefined || path === home ? '' : `; it failed at "${path}"`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const why = code === 'EROFS' ? 'read-only file system' : 'permission denied'
    return `GITSTEAD_HOME must be a folder that this user may write (got "${home}"): ${why}${inside}`
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') return `GITSTEAD_HOME must have free disk space (got "${home}"): no space left on the disk`
  if (code === 'ENOTDIR' || code === 'EEXIST') return `GITSTEAD_HOME must be a folder (got "${home}", which is a file or is inside one)`
  return path?.startsWith(home) ? `GITSTEAD_HOME: ${message}` : null
}
