/** The stages of a job, with the order, names and headings that readers of traces know. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { userCommands } from '../shell/script.ts'
import { echo, reset, sectionMark, styled } from '../shell/text.ts'
import { fetchDependencies, sendArtifacts } from './artifacts.ts'
import { restoreCaches, saveCaches } from './caches.ts'
import { runScript } from './scripts.ts'
import { credentialVariables, gitStrategy, gitVariables, prepareWorkTree, sourceCommands } from './sources.ts'
import { JobFailed, type JobRun } from './stages.types.ts'

const afterScript_ms = 300_000
const maxAttempts = 10
/** Between two attempts to get the sources: after a few, a server that was restarted is there again. */
const pause_ms = 1_000

/** Runs a whole job. Throws the reason if it fails: `JobFailed`, or any other error if the runner is to blame. */
export async function runStages(run: JobRun, signals: { script: AbortSignal; all: AbortSignal }): Promise<void> {
  await prepare(run)
  await getSources(run, signals.script)
  await section(run, 'restore_cache', 'Restoring cache', run.job.caches.length > 0, () => restoreCaches(run))
  const hasDependencies = run.job.dependencies.some(({ filename }) => filename !== null)
  await section(run, 'download_artifacts', 'Downloading artifacts', hasDependencies, () => fetchDependencies(run, signals.script))

  const failure = await failureOf(() => runSteps(run, signals.script))
  if (signals.all.aborted) throw signals.all.reason
  const hasSucceeded = failure === null
  await runAfterScript(run, { status: hasSucceeded ? 'success' : signals.script.aborted ? 'canceled' : 'failed', signal: signals.all })
  if (signals.script.aborted) throw signals.script.reason
  const cacheFailure = await failureOf(() => saveAllCaches(run, hasSucceeded, signals.all))
  const uploadFailure = await failureOf(() => uploadAll(run, hasSucceeded, signals.all))
  const first = failure ?? cacheFailure ?? uploadFailure
  if (first !== null) throw first
}

/** The exception of a stage; null if it succeeded. */
async function failureOf(stage: () => Promise<void>): Promise<unknown> {
  try {
    await stage()
    return null
  } catch (error) {
    return error ?? new Error('unknown')
  }
}

async function section(run: JobRun, name: string, heading: string, isNeeded: boolean, work: () => Promise<void>): Promise<void> {
  if (!isNeeded) return
  const { trace, job } = run
  if (job.hasSections) trace.write(sectionMark('start', name))
  trace.write(styled('stage', heading))
  try {
    await work()
  } finally {
    if (job.hasSections) trace.write(sectionMark('end', name))
  }
}

async function prepare(run: JobRun): Promise<void> {
  await section(run, 'prepare_executor', 'Preparing the "shell" executor', true, async () => {
    const { kind, hasNetwork } = run.sandbox
    const where = kind === 'none' ? 'without a sandbox' : `in a sandbox (bubblewrap), ${hasNetwork ? 'with' : 'without'} network`
    run.trace.write(`${reset}Using Shell (bash) executor ${where}...\n`)
    if (kind === 'none') run.trace.write(styled('warning', 'WARNING: the job can read and write all that the runner can'))
  })
  await section(run, 'prepare_script', 'Preparing environment', true, async () => {
    run.trace.write(`Running on ${hostname()}...\n`)
  })
}

/** A folder that an earlier job made unusable is emptied, and the sources are fetched again. */
async function getSources(run: JobRun, signal: AbortSignal): Promise<void> {
  await section(run, 'get_sources', 'Getting source from Git repository', true, async () => {
    const strategy = gitStrategy(run.job, run.variables)
    const attempts = Math.min(Math.max(Number(run.variables.get('GET_SOURCES_ATTEMPTS')) || 1, 1), maxAttempts)
    let isReused = await prepareWorkTree(run.folders, strategy)
    for (let attempt = 1; ; attempt++) {
      const body = sourceCommands(run.job, run.variables, strategy)
      const variables = gitVariables(run.job, run.variables)
      const failure = await failureOf(() => runScript(run, { variables, body, signal, needsNetwork: true }))
      if (failure === null) return
      if (!(failure instanceof JobFailed) || (attempt >= attempts && !isReused)) throw failure
      if (!isReused) await sleep(pause_ms, undefined, { signal })
      await prepareWorkTree(run.folders, strategy === 'none' ? 'none' : 'clone')
      isReused = false
    }
  })
}

async function runSteps(run: JobRun, signal: AbortSignal): Promise<void> {
  for (const step of run.job.steps) {
    if (step.name === 'after_script') continue
    const name = step.name === 'script' ? 'step_script' : `step_${step.name}`
    const isRelease = step.name === 'release'
    const script = isRelease ? step.script.map((line) => run.variables.expand(line)) : step.script
    await section(run, name, `Executing "${name}" stage of the job script`, true, () =>
      runScript(run, { variables: scriptVariables(run), body: userCommands(script), signal }),
    )
  }
}

/** Runs in a separate shell, whatever the result of the script. Its failure changes nothing. */
async function runAfterScript(run: JobRun, { status, signal }: { status: string; signal: AbortSignal }): Promise<void> {
  const script = run.job.steps.find(({ name }) => name === 'after_script')?.script ?? []
  const limit = AbortSignal.timeout(afterScript_ms)
  await section(run, 'after_script', 'Running after_script', script.length > 0, async () => {
    const variables = [...scriptVariables(run), { key: 'CI_JOB_STATUS', value: status }]
    const body = [echo('notice', 'Running after script...'), ...userCommands(script)]
    const failure = await failureOf(() => runScript(run, { variables, body, signal: AbortSignal.any([signal, limit]) }))
    if (signal.aborted) throw signal.reason
    if (limit.aborted)
      run.trace.write(styled('warning', `WARNING: after_script took longer than ${afterScript_ms / 1000} seconds, ignoring`))
    else if (failure instanceof JobFailed)
      run.trace.write(styled('warning', `WARNING: after_script failed, but job will continue unaffected: ${failure.message}`))
    else if (failure !== null) throw failure
  })
}

function scriptVariables({ job, variables }: JobRun): JobRun['variables']['exported'] {
  return [...credentialVariables(job), ...variables.exported]
}

function saveAllCaches(run: JobRun, hasSucceeded: boolean, signal: AbortSignal): Promise<void> {
  const heading = `Saving cache for ${hasSucceeded ? 'successful' : 'failed'} job`
  const isNeeded = run.job.caches.some(({ when }) => when === 'always' || (when === 'on_success') === hasSucceeded)
  return section(run, 'archive_cache', heading, isNeeded, () => saveCaches(run, hasSucceeded, signal))
}

function uploadAll(run: JobRun, hasSucceeded: boolean, signal: AbortSignal): Promise<void> {
  const [name, kind] = hasSucceeded ? ['upload_artifacts_on_success', 'successful'] : ['upload_artifacts_on_failure', 'failed']
  const isNeeded = run.job.artifacts.some(({ when }) => when === 'always' || (when === 'on_success') === hasSucceeded)
  return section(run, name, `Uploading artifacts for ${kind} job`, isNeeded, () => sendArtifacts(run, hasSucceeded, signal))
}
