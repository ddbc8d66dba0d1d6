/** Allows one backup at a time per folder. The operating system holds the lock, so it ends with the process in any case. */
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { StartRefused } from '../failure.ts'

/** Throws StartRefused while another process holds it. Returns a function that releases it. */
export function lockFolder(folder: string): () => void {
  const connection = new BetterSqlite3(join(folder, '.lock'), { timeout: 0 })
  try {
    // Nothing is ever written to it, so it also works on a full disk.
    connection.pragma('journal_mode = memory')
    connection.exec('begin exclusive')
  } catch (error) {
    connection.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw new StartRefused(`another backup into ${folder} is under way`)
    throw error
  }
  return () => void connection.close()
}
