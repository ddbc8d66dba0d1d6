/** The commands `admin backup`, `admin restore` and `admin verify-backup`: their output and exit status. */
import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { StartRefused } from '../failure.ts'
import { backUp } from './backup.ts'
import { findGeneration } from './generations.ts'
import { countsOf, openProgress, type Progress } from './progress.ts'
import { restoreFrom } from './restore.ts'
import { verifyGeneration } from './verify.ts'

interface Common {
  quiet: boolean
  /** Printed last: the next step for the administrator. */
  next?: string
}

/** Each returns the exit status: 0 if everything was saved, restored or valid, 1 otherwise. */
export async function runBackup(target: string, options: Common & { verify: boolean; keep: number | null }): Promise<number> {
  const config = readConfig(process.env)
  return withProgress(options, async (progress, signal) => {
    const { folder, isComplete } = await backUp(config, resolve(target), { ...options, progress, signal })
    if (isComplete) return `Backup ${folder} is complete`
    return `Backup ${folder} is incomplete: ${progress.faults.length} errors, listed above`
  })
}

export async function runRestore(target: string, options: Common & { verify: boolean; at: string | undefined }): Promise<number> {
  const next = 'Next, start the server. If you restored as root, first make sure that GITSTEAD_HOME belongs to the user the server runs as.'
  return withProgress({ ...options, next }, async (progress, signal) => {
    const folder = await findGeneration(resolve(target), options.at)
    const { home } = await restoreFrom(process.env, folder, { ...options, progress, signal })
    return `Restored ${folder} to ${home}`
  })
}

export async function runVerify(target: string, options: Common & { at: string | undefined }): Promise<number> {
  return withProgress(options, async (progress) => {
    const folder = await findGeneration(resolve(target), options.at)
    const { tables, repositories, objects } = await verifyGeneration(folder, progress)
    Object.assign(progress, { rows: tables.reduce((sum, { rows }) => sum + rows, 0), repositories, objects })
    return progress.faults.length === 0
      ? `Backup ${folder} is valid`
      : `Backup ${folder} has ${progress.faults.length} errors, listed above`
  })
}

/** @param work returns the last line, to which the counts are added */
async function withProgress({ quiet, next }: Common, work: (progress: Progress, signal: AbortSignal) => Promise<string>): Promise<number> {
  const started = Date.now()
  // Requests to the server take priority.
  setPriority(constants.priority.PRIORITY_LOW)
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort(new StartRefused(`stopped by ${name}`)))
  const progress = openProgress(quiet)
  try {
    const line = await work(progress, stopping.signal)
    progress.end()
    process.stdout.write(`${line}: ${countsOf(progress)}; ${((Date.now() - started) / 1_000).toFixed(1)} s.\n`)
    if (next !== undefined) process.stdout.write(`${next}\n`)
    return progress.faults.length === 0 ? 0 : 1
  } finally {
    progress.end()
  }
}
