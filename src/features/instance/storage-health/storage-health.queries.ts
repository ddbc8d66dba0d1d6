/** SQL of the failures of the repository storage, by machine. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'

export interface StorageFailures {
  hostname: string
  failures: number
}

/** Failures of machines whose last check failed. */
export function storageFailures(db: Db): Promise<StorageFailures[]> {
  return db.selectFrom('storage_failures').select(['hostname', 'failures']).orderBy('hostname').execute()
}

export async function addFailure(db: Db, hostname: string): Promise<void> {
  const last_at = now()
  await db
    .insertInto('storage_failures')
    .values({ hostname, failures: 1, last_at })
    .onConflict((conflict) =>
      conflict.column('hostname').doUpdateSet((eb) => ({ failures: eb('storage_failures.failures', '+', 1), last_at })),
    )
    .execute()
}

/** @param hostname all of them by default */
export async function removeFailures(db: Db, hostname?: string): Promise<void> {
  await db
    .deleteFrom('storage_failures')
    .$if(hostname !== undefined, (query) => query.where('hostname', '=', hostname as string))
    .execute()
}
