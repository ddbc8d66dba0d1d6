/** Names the snapshot of a statement on PostgreSQL: the name stays only as long as nothing was committed that the statement reads. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { keepPlan } from './kept-plans.ts'
import { unmetered } from './metered-database.ts'
import { type Counters, numbersOf } from './write-counters.ts'

/** The commits that were visible when it was asked for. */
export interface State {
  /** Stays only as long as nothing at all was committed. */
  snapshot: string
  /** When the server started, and the numbers of writes, by counter. */
  numbers: string[]
  /** Whether no write was under way: its number may have been counted before it is committed. */
  isQuiet: boolean
}

interface Moment {
  /** Once it is asked for. */
  state: Promise<State> | null
  /** Work that outlives a request may not take the database to be as the request found it. */
  isOver: boolean
}

const moments = new AsyncLocalStorage<Moment>()

const text = 'select numbers, snapshot, is_quiet from written_so_far()'
keepPlan(text)
const query = sql.raw<{ numbers: string; snapshot: string; is_quiet: boolean }>(text)

/** At most one statement, which reads no table: it takes a tenth of the time that planning a list takes. */
export function stateOf(db: Db): Promise<State> {
  const moment = moments.getStore()
  if (!moment || moment.isOver) return ask(db)
  if (moment.state) return moment.state
  moment.state = ask(db)
  return moment.state
}

/**
 * Whether what was read after the earlier state is still the same.
 * @param counters of all that was read; null where some of it has none
 */
export function isUnchanged(earlier: State, later: State, counters: Counters | null): boolean {
  if (earlier.snapshot === later.snapshot) return true
  return earlier.isQuiet && counters !== null && numbersOf(earlier.numbers, counters) === numbersOf(later.numbers, counters)
}

/**
 * Runs what only reads: whether something was written is asked once, by whichever cache is read first. So all of it is as new as its
 * beginning, or newer. On SQLite nothing needs to be asked.
 */
export async function atOneMoment<T>(db: Db, work: () => Promise<T>): Promise<T> {
  if (capabilitiesOf(db).changes) return work()
  const moment: Moment = { state: null, isOver: false }
  try {
    return await moments.run(moment, work)
  } finally {
    moment.isOver = true
  }
}

async function ask(db: Db): Promise<State> {
  const { numbers, snapshot, is_quiet } = (await query.execute(unmetered(db))).rows[0] as {
    numbers: string
    snapshot: string
    is_quiet: boolean
  }
  return { snapshot, numbers: numbers.split(' '), isQuiet: is_quiet }
}
