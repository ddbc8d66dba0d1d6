/** Failures of the database that callers can act on. */
import { databaseUnavailable, Failure, isStorageFull, storageFull } from '../failure.ts'

/**
 * Converts such errors to Failures: a full disk, a lock held for too long, a parent row deleted since it was looked up, and a NUL in a name
 * that was looked up, which PostgreSQL takes nowhere and so nothing can have. Others are returned unchanged. An unreachable PostgreSQL is a Failure already (`guarded-pool.ts`).
 */
export function asStorageFailure(error: unknown): unknown {
  const { code } = error as { code?: string }
  if (code === 'SQLITE_FULL' || code === '53100' || isStorageFull(error)) return storageFull(error)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code ?? '')) return databaseUnavailable(error)
  const orphan = code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || code === '23503'
  return orphan || code === '22021' ? new Failure('not_found', '404 Not Found', { cause: error }) : error
}
