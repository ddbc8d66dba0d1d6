/** Runs scripts of a job in its folders. */
import { runBash } from '../shell/run-bash.ts'
import { bashScript, type Exported } from '../shell/script.ts'
import { JobFailed, type JobRun } from './stages.types.ts'

export interface ScriptOptions {
  variables: Exported[]
  body: string[]
  signal: AbortSignal
  needsNetwork?: boolean
  /** Gets the output instead of the trace. */
  onOutput?: (chunk: Buffer) => void
}

/** Throws with the exit status of a failed script, and with the reason of the signal for a killed one. */
export async function runScript(run: JobRun, { variables, body, signal, needsNetwork = false, onOutput }: ScriptOptions): Promise<void> {
  const { top, project, tmp } = run.folders
  const isTraced = run.variables.isTrue('CI_DEBUG_TRACE')
  const code = await runBash({
    sandbox: run.sandbox,
    folder: top,
    tmp,
    cwd: project,
    needsNetwork,
    script: bashScript(variables, body, isTraced),
    onOutput: onOutput ?? run.trace.write,
    signal,
  })
  if (code === null) throw signal.reason
  if (code !== 0) throw new JobFailed(`exit status ${code}`, { exit_code: code })
}

/** Files that git doesn't track, as of the end of the script. Null if there is no repository. */
export async function untrackedFiles(run: JobRun, signal: AbortSignal): Promise<string[]> {
  const chunks: Buffer[] = []
  const onOutput = (chunk: Buffer) => chunks.push(chunk)
  try {
    await runScript(run, { variables: [], body: ['git ls-files --others -z 2>/dev/null'], signal, onOutput })
  } catch (error) {
    if (error instanceof JobFailed) return []
    throw error
  }
  return Buffer.concat(chunks).toString('utf8').split('\0').filter(Boolean)
}
