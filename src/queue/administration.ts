/**
 * Lists and changes jobs for administrators, on the command line and on pages. Payloads stay hidden, since some contain URLs with secrets.
 */
import type { Kysely } from 'kysely'
import { type Db, inTransaction, lockedRows, type PageOf, paginate } from '../db/database.ts'
import { now } from '../db/instants.ts'
import type { Job, Tables } from '../db/tables.ts'
import { StartRefused } from '../failure.ts'

export const jobStates = ['waiting', 'running', 'dead'] as const

export type JobState = (typeof jobStates)[number]

export interface ListedJob extends Pick<Job, 'id' | 'name' | 'attempts' | 'run_at' | 'created_at' | 'last_error'> {
  state: JobState
}

/**
 * In the order in which they become due.
 * @param state of the jobs to list; all by default
 */
export async function listJobs(db: Db, state?: JobState): Promise<ListedJob[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'name', 'state', 'owner', 'attempts', 'run_at', 'created_at', 'last_error'])
    .orderBy('run_at')
    .orderBy('id')
    .execute()
  const listed = rows.map(({ owner, ...row }) => ({ ...row, state: stateOf(row.state, owner) }))
  return state === undefined ? listed : listed.filter((job) => job.state === state)
}

/** As `listJobs`, one page with the newest first, since an administrator looks for recent failures. */
export async function pageOfJobs(db: Db, state: JobState, page: PageOf): Promise<{ rows: ListedJob[]; total: number }> {
  const query = db
    .selectFrom('jobs')
    .select(['id', 'name', 'attempts', 'run_at', 'created_at', 'last_error'])
    .where('state', '=', state === 'dead' ? 'dead' : 'ready')
    .$if(state === 'waiting', (jobs) => jobs.where('owner', 'is', null))
    .$if(state === 'running', (jobs) => jobs.where('owner', 'is not', null))
    .orderBy('id', 'desc')
  const { rows, total } = await paginate(query, page)
  return { rows: rows.map((row) => ({ ...row, state })), total }
}

function stateOf(state: Job['state'], owner: string | null): JobState {
  if (state === 'dead') return 'dead'
  return owner === null ? 'waiting' : 'running'
}

/**
 * Makes jobs due now, with all their attempts available again. Throws StartRefused, without a change, if one of them is running or unknown.
 */
export function retryJobs(db: Kysely<Tables>, ids: number[] | 'dead'): Promise<number> {
  return inTransaction(db, async (tx) => {
    const found = await changeable(tx, ids)
    if (found.length === 0) return 0
    await tx.updateTable('jobs').set({ state: 'ready', attempts: 0, run_at: now() }).where('id', 'in', found).execute()
    return found.length
  })
}

/** Throws as `retryJobs` does. */
export function deleteJobs(db: Kysely<Tables>, ids: number[] | 'dead'): Promise<number> {
  return inTransaction(db, async (tx) => {
    const found = await changeable(tx, ids)
    if (found.length === 0) return 0
    await tx.deleteFrom('jobs').where('id', 'in', found).execute()
    return found.length
  })
}

async function changeable(tx: Db, ids: number[] | 'dead'): Promise<number[]> {
  const query = tx.selectFrom('jobs').select(['id', 'state', 'owner'])
  const rows = await lockedRows(tx, ids === 'dead' ? query.where('state', '=', 'dead') : query.where('id', 'in', ids)).execute()
  const unknown = ids === 'dead' ? [] : ids.filter((id) => !rows.some((row) => row.id === id))
  if (unknown.length > 0) throw new StartRefused(`there is no job ${unknown.join(', ')}; nothing was changed`)
  const running = rows.filter(({ state, owner }) => stateOf(state, owner) === 'running').map(({ id }) => id)
  if (running.length > 0) throw new StartRefused(`job ${running.join(', ')} is running; nothing was changed`)
  return rows.map(({ id }) => id)
}
