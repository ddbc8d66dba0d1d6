/**
 * Request counts that several servers on one database share. Each counts in memory, and once a second reports its counts to the database
 * and reads those of the others: a statement per request would take longer than most requests. Together they admit at most the requests of
 * one second beyond a limit.
 */
import type { Db } from '../../../db/database.ts'
import { type RequestCounter, windowEnd_s } from '../../../limits/throttles.ts'
import { countsAbove, countsElsewhere, deleteEndedCounts, reportCounts, type Touched } from './shared-counts.queries.ts'

export interface SharedCounts {
  counter: RequestCounter
  /** Reports and reads counts; does nothing if nothing was counted since. */
  sync: () => Promise<void>
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
      await reportCounts(db, server, told)
      await deleteEndedCounts(db, now_s)
      for (const { name, key, ends_s, count } of await countsElsewhere(db, server, told))
        others.set(`${name} ${key}`, { ends_s, count: Number(count) })
    },
  }
}
