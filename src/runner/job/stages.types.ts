/** Types that the stages of a job share. */
import type { JobCredentials } from '../protocol/client.ts'
import type { JobPayload } from '../protocol/payload.ts'
import type { Sandbox } from '../shell/sandbox.ts'
import type { Trace } from '../trace/trace.ts'
import type { JobFolders } from './folders.ts'
import type { Variables } from './variables.ts'

export interface JobRun {
  job: JobPayload
  credentials: JobCredentials
  folders: JobFolders
  variables: Variables
  trace: Trace
  sandbox: Sandbox
  /** The folder with the caches of all projects. */
  home: string
}

/** A failure of the job itself, with its exit status if there is one. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly exit_code: number | undefined
  readonly reason: string

  constructor(message: string, { exit_code, reason = 'script_failure' }: { exit_code?: number; reason?: string } = {}) {
    super(message)
    this.exit_code = exit_code
    this.reason = reason
  }
}
