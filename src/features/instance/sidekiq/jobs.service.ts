/** Lets administrators run jobs again, or delete them. */
import type { App } from '../../../app.ts'
import { Failure, StartRefused } from '../../../failure.ts'
import { deleteJobs, retryJobs } from '../../../queue/administration.ts'

/** Makes these jobs, or all dead ones, due now. Throws 409, without a change, if one of them is running or gone. */
export function runAgain({ db }: App, ids: number[] | 'dead'): Promise<number> {
  return retryJobs(db, ids).catch(asConflict)
}

/** Throws as `runAgain`. */
export function removeJobs({ db }: App, ids: number[] | 'dead'): Promise<number> {
  return deleteJobs(db, ids).catch(asConflict)
}

function asConflict(error: unknown): never {
  if (!(error instanceof StartRefused)) throw error
  const { message } = error
  throw new Failure('conflict', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, { cause: error })
}
