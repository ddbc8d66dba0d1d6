/** Converts failures of git commands to Failures of the domain. */
import { Failure, storageFull } from '../../failure.ts'
import { isFull } from './space.ts'

/** The output of git goes to the log; the caller only gets what they can act on. */
export function gitFailure(args: string[], code: number, stderr: string): Failure {
  const cause = new Error(`git ${args[0]} ended with ${code}: ${stderr.trim()}`)
  if (/No space left on device|Out of diskspace|Disk quota exceeded|File too large/.test(stderr)) {
    return storageFull(cause)
  }
  return new Failure('git_failed', '500 Internal Server Error', { cause })
}

/** Messages of git after a failed write, often without the reason. */
export const unwritten = /unable to|(?:could|can|did)(?: not|n't)|cannot|failed to|write (?:error|failure)|abnormal exit|unpacker/i

/** As `gitFailure`, but returns `storage_full` if the disk is full, whether or not git reports that. */
export async function failureIn(dir: string, args: string[], code: number, stderr: string): Promise<Failure> {
  const failure = gitFailure(args, code, stderr)
  if (failure.code !== 'git_failed' || !unwritten.test(stderr)) return failure
  return (await isFull(dir)) ? storageFull(failure.cause) : failure
}
