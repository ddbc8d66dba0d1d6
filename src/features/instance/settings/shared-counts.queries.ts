/** SQL for request counts that several servers share. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { maxAbove, type ThrottleName } from '../../../limits/throttles.ts'

export interface Touched {
  name: ThrottleName
  key: string
  ends_s: number
  /** Requests that this server has counted in the window. */
  count: number
}

/** Processes of one server report the same count, later ones a higher one. */
export async function reportCounts(db: Db, server: string, told: Touched[]): Promise<void> {
  // Sorted: two processes with the same clients must not deadlock.
  const rows = told.map((one) => ({ server, ...one })).sort((a, b) => (`${a.name} ${a.key}` < `${b.name} ${b.key}` ? -1 : 1))
  await db
    .insertInto('request_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['server', 'name', 'key']).doUpdateSet((eb) => ({
        count: eb
          .case()
          .when(
            eb.and([
              eb('request_counts.ends_s', '=', eb.ref('excluded.ends_s')),
              eb('request_counts.count', '>', eb.ref('excluded.count')),
            ]),
          )
          .then(eb.ref('request_counts.count'))
          .else(eb.ref('excluded.count'))
          .end(),
        ends_s: eb.ref('excluded.ends_s'),
      })),
    )
    .execute()
}

export function countsElsewhere(db: Db, server: string, told: Touched[]) {
  return db
    .selectFrom('request_counts')
    .select(['name', 'key', 'ends_s', sql<number>`sum(count)`.as('count')])
    .where('server', '<>', server)
    .where('key', 'in', [...new Set(told.map(({ key }) => key))])
    .groupBy(['name', 'key', 'ends_s'])
    .execute()
}

/** Adds up the counts of all servers, the highest sum first. */
export function countsAbove(db: Db, { name, ends_s, max }: { name: ThrottleName; ends_s: number; max: number }) {
  const total = sql<number>`sum(count)`
  return db
    .selectFrom('request_counts')
    .select(['key', total.as('count')])
    .where('name', '=', name)
    .where('ends_s', '=', ends_s)
    .groupBy('key')
    .having(total, '>', max)
    .orderBy(total, 'desc')
    .orderBy('key')
    .limit(maxAbove)
    .execute()
}

export async function deleteEndedCounts(db: Db, now_s: number): Promise<void> {
  await db.deleteFrom('request_counts').where('ends_s', '<=', now_s).execute()
}
