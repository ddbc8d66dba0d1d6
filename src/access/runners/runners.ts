/** Authenticates runners by their tokens. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import { prepared } from '../../db/prepared-queries.ts'
import type { CiRunner } from '../../db/tables.ts'
import { digestOf } from '../tokens.ts'

const runnerByDigest = prepared((db: Db, digest: string) => db.selectFrom('ci_runners').selectAll().where('token_digest', '=', digest))

/** The runner with this token; null if it is unknown or has expired. */
export async function findRunner(db: Db, token: string): Promise<CiRunner | null> {
  const [runner] = await runnerByDigest(db, digestOf(token))
  if (!runner || (runner.token_expires_at !== null && runner.token_expires_at <= now())) return null
  return runner
}
