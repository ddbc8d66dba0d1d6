/**
 * Request counts that several servers on one database share. Each counts in memory, and once a second reports its counts to the database
 * and reads those of the others: a statement per request would take longer than most requests. Together they admit at most the requests of
 * one second beyond a limit.
 */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { maxAbove, type RequestCounter, type ThrottleName, windowEnd_s } from '../../../limits/throttles.ts'

export interface SharedCounts {
  counter: RequestCounter
  /** Reports and reads counts; does nothing if nothing was counted since. */
  sync: () => Promise<void>
}

interface Touched {
  name: ThrottleName
  key: string
  ends_s: number
  /** Requests that this server has counted in the window. */
  count: number
}

/** Clients reported per second; the others follow later, if they continue. */
const maxTold = 5_000

/**
 * @param server identifies this server in the rows, the same for all of its processes
 * @param local counts for all processes of this server
 */
export function sharedCounts(db: Db, server: string, local: RequestCounter, now_ms: () => number = Date.now): SharedCounts {
  const touched = new Map<string, Touched>()
  const others = new Map<string, { ends_s: number; count: number }>()

  return {
    counter: {
      async count(name, key, period_s) {
        const own = await local.count(name, key, period_s)
        const ends_s = windowEnd_s(period_s, now_ms())
        const id = `${name} ${key}`
        if (touched.size < maxTold || touched.has(id)) touched.set(id, { name, key, ends_s, count: own })
        const elsewhere = others.get(id)
        return elsewhere?.ends_s === ends_s ? own + elsewhere.count : own
      },
      // As the servers have told: what they counted within the last second may be missing.
      async above(name, { max, period_s }) {
        const rows = await countsAbove(db, { name, ends_s: windowEnd_s(period_s, now_ms()), max })
        return rows.map(({ key, count }) => ({ key, count: Number(count) }))
      },
    },
    async sync() {
      const told = [...touched.values()]
      touched.clear()
      const now_s = Math.floor(now_ms() / 1000)
      for (const [id, { ends_s }] of others) if (ends_s <= now_s) others.delete(id)
      if (told.length === 0) return
      await tell(db, server, told)
      await db.deleteFrom('request_counts').where('ends_s', '<=', now_s).execute()
      for (const { name, key, ends_s, count } of await countsElsewhere(db, server, told))
        others.set(`${name} ${key}`, { ends_s, count: Number(count) })
    },
  }
}

/** Processes of one server report the same count, later ones a higher one. */
async function tell(db: Db, server: string, told: Touched[]): Promise<void> {
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

function countsElsewhere(db: Db, server: string, told: Touched[]) {
  return db
    .selectFrom('request_counts')
    .select(['name', 'key', 'ends_s', sql<number>`sum(count)`.as('count')])
    .where('server', '<>', server)
    .where('key', 'in', [...new Set(told.map(({ key }) => key))])
    .groupBy(['name', 'key', 'ends_s'])
    .execute()
}

function countsAbove(db: Db, { name, ends_s, max }: { name: ThrottleName; ends_s: number; max: number }) {
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
