/** `gitstead admin jobs`: the job queue on the command line. */
import type { App } from '../app.ts'
import { StartRefused } from '../failure.ts'
import { deleteJobs, type JobState, jobStates, type ListedJob, listJobs, retryJobs } from '../queue/administration.ts'

type Print = (line: string) => void

export async function printJobs({ db }: App, { state, json }: { state?: string; json: boolean }, print: Print): Promise<void> {
  const jobs = await listJobs(db, readState(state))
  if (json) return print(JSON.stringify(jobs))
  print(lineOf(['ID', 'STATE', 'ATTEMPTS', 'DUE', 'JOB', 'LAST ERROR']))
  for (const job of jobs) print(lineOf(cellsOf(job)))
}

/** @param change applied to the jobs with these ids, or to all dead ones */
export async function changeJobs(
  { db }: App,
  { ids, dead, json, change }: { ids: string[]; dead: boolean; json: boolean; change: 'retry' | 'delete' },
  print: Print,
): Promise<void> {
  const chosen = chosenJobs(ids, dead)
  const changed = await (change === 'retry' ? retryJobs : deleteJobs)(db, chosen)
  const word = change === 'retry' ? 'will run again' : 'deleted'
  print(
    json
      ? JSON.stringify({ [change === 'retry' ? 'retried' : 'deleted']: changed })
      : `${changed} ${changed === 1 ? 'job' : 'jobs'} ${word}.`,
  )
}

function chosenJobs(ids: string[], dead: boolean): number[] | 'dead' {
  if (dead === ids.length > 0) throw new StartRefused('name the ids of jobs, or --dead for all dead ones')
  const wrong = ids.find((id) => !/^[1-9]\d{0,14}$/.test(id))
  if (wrong !== undefined) throw new StartRefused(`the id of a job must be a positive number (got "${wrong}")`)
  return dead ? 'dead' : [...new Set(ids.map(Number))]
}

function readState(text: string | undefined): JobState | undefined {
  const state = jobStates.find((known) => known === text)
  if (text !== undefined && state === undefined) throw new StartRefused(`--state must be one of ${jobStates.join(', ')} (got "${text}")`)
  return state
}

const widths = [7, 9, 10, 26, 32]

function cellsOf({ id, state, attempts, run_at, name, last_error }: ListedJob): string[] {
  return [String(id), state, String(attempts), run_at, name, last_error ?? '']
}

/** One line for a job, even if its error has several. */
function lineOf(cells: string[]): string {
  const line = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('')
  return line.replaceAll(/[^\P{C}]+/gu, ' ').trimEnd()
}
