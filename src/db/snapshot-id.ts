/**
 * Identifies the snapshot of a statement on PostgreSQL: the identifier changes whenever something was committed that the statement reads.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { keepPlan } from './kept-plans.ts'
import { unmetered } from './metered-database.ts'
import { type Counters, numbersOf } from './write-counters.ts'

/** The commits that were visible at some moment. */
export interface State {
  /** Changes whenever anything was committed. */
  snapshot: string
  /** The start time of the server, and the numbers of writes by counter. */
  numbers: string[]
  /** Whether no write was in progress: its number may have been counted before its commit. */
  isQuiet: boolean
}

interface Moment {
  /** Set once it has been requested. */
  state: Promise<State> | null
  /** Work that outlives a request must not rely on the state that the request saw. */
  isOver: boolean
}

const moments = new AsyncLocalStorage<Moment>()

const text = 'select numbers, snapshot, is_quiet from written_so_far()'
keepPlan(text)
const query = sql.raw<{ numbers: string; snapshot: string; is_quiet: boolean }>(text)

/** At most one statement, which reads no table: it takes a tenth of the time of planning a list. */
export function stateOf(db: Db): Promise<State> {
  const moment = moments.getStore()
  if (!moment || moment.isOver) return ask(db)
  if (moment.state) return moment.state
  moment.state = ask(db)
  return moment.state
}

/**
 * Whether data read after the earlier state is still the same.
 * @param counters of all tables read; null if some have none
 */
export function isUnchanged(earlier: State, later: State, counters: Counters | null): boolean {
  if (earlier.snapshot === later.snapshot) return true
  return earlier.isQuiet && counters !== null && numbersOf(earlier.numbers, counters) === numbersOf(later.numbers, counters)
}

/**
 * Runs work that only reads: the state of the database is requested once, by the first cache that is used, so all results are at least as
 * new as the beginning of the work. On SQLite nothing needs to be requested.
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
