/**
 * `gitstead ci local`: runs the CI file of a work tree on this machine. A temporary server plans the pipeline that a push would create, and
 * the code of `gitstead runner` runs its jobs.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartRefused } from '../../failure.ts'
import { systemId } from '../config.ts'
import { runJob } from '../job/run-job.ts'
import { registerRunner, requestJob, updateJob } from '../protocol/client.ts'
import type { JobPayload } from '../protocol/payload.ts'
import { chooseSandbox, type SandboxOptions } from '../shell/choose-sandbox.ts'
import type { Sandbox } from '../shell/sandbox.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { takeSnapshot } from './snapshot.ts'

export interface LocalOptions extends SandboxOptions {
  folder: string
  /** Names of jobs; empty for all. */
  jobs: readonly string[]
  /** Runs only the jobs of this stage; null for all. */
  stage: string | null
  /** Whether to list what would run, without running it. */
  listsOnly: boolean
  variables: readonly { key: string; value: string }[]
  /** Command line that starts this program. */
  program: readonly string[]
  /** Aborts the running job. */
  signal: AbortSignal
  /** Gets the traces while they are written. */
  write: (bytes: Buffer) => void
}

interface Job {
  id: number
  name: string
  stage: string
  status: string
  allow_failure: boolean
}

interface Linted {
  valid: boolean
  errors: string[]
  warnings: string[]
  /** Set by `include_jobs`. */
  jobs?: Array<{ name: string; stage: string; when: string; tag_list: string[] }>
}

/** Returns whether every chosen job succeeded or was allowed to fail. */
export async function runLocally(options: LocalOptions): Promise<boolean> {
  const sandbox = options.listsOnly ? null : await chooseSandbox(options)
  const aside = await mkdtemp(join(tmpdir(), 'gitstead-ci-'))
  try {
    const snapshot = await takeSnapshot(options.folder, join(aside, 'snapshot'))
    const server = await startOwnServer(options.program, join(aside, 'server'))
    try {
      const name =
        basename(options.folder)
          .replace(/[^\w.-]/g, '-')
          .replace(/^[-.]+/, '') || 'project'
      const { id } = await server.call<{ id: number }>('POST', '/projects', { name, path: name })
      for (const variable of options.variables) await server.call('POST', `/projects/${id}/variables`, variable)
      await snapshot.push(`${server.url.replace('//', `//root:${server.token}@`)}/root/${name}.git`)
      const linted = await planned(server, id, snapshot.branch, options)
      if (linted === null || sandbox === null) return linted !== null
      return await runPipeline(server, { project: id, branch: snapshot.branch, aside, sandbox, linted }, options)
    } finally {
      await server.stop()
    }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** Prints which jobs a push would create, and why not the others. Null if it would create none. */
async function planned(server: OwnServer, project: number, branch: string, { print }: LocalOptions): Promise<Linted | null> {
  const at = `/projects/${project}/ci/lint?include_jobs=true`
  const all = await server.call<Linted>('GET', at)
  const pushed = all.valid ? await server.call<Linted>('GET', `${at}&dry_run=true&dry_run_ref=${encodeURIComponent(branch)}`) : all
  for (const warning of pushed.warnings) print(`warning: ${warning}`)
  for (const error of pushed.errors) print(`error: ${error}`)
  if (!pushed.valid) return null
  const jobs = pushed.jobs ?? []
  print(`A push to ${branch} makes:`)
  for (const { name, stage, when } of jobs) print(`  ${stage}: ${name}${when === 'on_success' ? '' : ` (${when})`}`)
  const names = new Set(jobs.map(({ name }) => name))
  const others = (all.jobs ?? []).filter(({ name }) => !names.has(name))
  if (others.length > 0) print('It leaves out, as their `rules`, `only` or `except` do not let them in:')
  for (const { name, stage } of others) print(`  ${stage}: ${name}`)
  return pushed
}

interface Run {
  project: number
  branch: string
  aside: string
  sandbox: Sandbox
  linted: Linted
}

async function runPipeline(server: OwnServer, run: Run, options: LocalOptions): Promise<boolean> {
  const names = selectJobs(run.linted.jobs ?? [], options)
  const credentials = await register(server, run)
  const look = async () => {
    const { jobs, isSkipped } = await listJobs(server, run)
    return { jobs: jobs.filter(({ name }) => names.has(name)), isSkipped }
  }
  for (;;) {
    const { jobs, isSkipped } = await look()
    if (isSkipped) throw new StartRefused('the message of the last commit skips its pipeline')
    const waiting = jobs.find(({ name, status }) => status === 'scheduled' || (status === 'manual' && options.jobs.includes(name)))
    if (waiting) await server.call('POST', `/projects/${run.project}/jobs/${waiting.id}/play`)
    else if (jobs.length > 0 && jobs.every(({ status }) => hasEnded(status) || status === 'manual')) return summarize(jobs, options)
    const reply = await requestJob(credentials, '', AbortSignal.timeout(longestRequest_ms))
    if (reply.kind !== 'job') await sleep(100)
    else if ((await look()).jobs.some(({ id }) => id === reply.job.id)) await runShown(server, run, reply.job, options)
    else await passOver(server, reply.job)
  }
}

const longestRequest_ms = 60_000

const hasEnded = (status: string) => ['success', 'failed', 'canceled', 'skipped'].includes(status)

function selectJobs(jobs: NonNullable<Linted['jobs']>, { jobs: wanted, stage }: LocalOptions): Set<string> {
  const unknown = wanted.filter((name) => !jobs.some((job) => job.name === name))
  if (unknown.length > 0) throw new StartRefused(`the pipeline has no job ${unknown.map((name) => `"${name}"`).join(', ')}`)
  const chosen = jobs.filter((job) => (wanted.length === 0 || wanted.includes(job.name)) && (stage === null || job.stage === stage))
  if (chosen.length === 0) throw new StartRefused(`the pipeline has no job in the stage "${stage}"`)
  return new Set(chosen.map(({ name }) => name))
}

/** Registers as a runner that takes all jobs, whatever their tags. */
async function register(server: OwnServer, { project, aside, linted }: Run) {
  const { runners_token } = await server.call<{ runners_token: string }>('GET', `/projects/${project}`)
  const tags = [...new Set((linted.jobs ?? []).flatMap(({ tag_list }) => tag_list))]
  const registration = { description: 'local', run_untagged: true, locked: true, paused: false }
  const runner = await registerRunner(server.url, runners_token, { ...registration, ...(tags.length > 0 && { tag_list: tags.join(',') }) })
  if (runner === null) throw new Error('the server does not know its own registration token')
  return { url: server.url, token: runner.token, system_id: systemId(aside) }
}

const page = 100

/** The current jobs of the branch's pipeline; none before it is created. */
async function listJobs(server: OwnServer, { project, branch }: Run): Promise<{ jobs: Job[]; isSkipped: boolean }> {
  const at = `/projects/${project}/pipelines`
  const [pipeline] = await server.call<Array<{ id: number; status: string }>>('GET', `${at}?ref=${encodeURIComponent(branch)}`)
  const jobs: Job[] = []
  for (let number = 1; pipeline; number += 1) {
    const rows = await server.call<Job[]>('GET', `${at}/${pipeline.id}/jobs?per_page=${page}&page=${number}`)
    jobs.push(...rows)
    if (rows.length < page) break
  }
  return { jobs, isSkipped: pipeline?.status === 'skipped' && jobs.length === 0 }
}

async function runShown(server: OwnServer, { aside, sandbox }: Run, job: JobPayload, options: LocalOptions): Promise<void> {
  options.print(`\n== ${job.job_info.name}`)
  await runJob({
    ...{ job, sandbox, home: aside, slot: 0, project_slot: 0, signal: options.signal, onOutput: options.write },
    runner: { name: 'local', url: server.url, system_id: systemId(aside) },
    max_trace_bytes: 64 * 1024 * 1024,
    report_interval_ms: 1_000,
  })
}

/** Marks a job as successful that was not chosen, or belongs to the default branch, so that later jobs start. */
async function passOver(server: OwnServer, { id, token }: JobPayload): Promise<void> {
  await updateJob({ url: server.url, id, token }, { state: 'success', checksum: 'crc32:00000000', size_bytes: 0 })
}

function summarize(jobs: readonly Job[], { print }: LocalOptions): boolean {
  print('')
  for (const { name, status, allow_failure } of [...jobs].sort((one, other) => one.id - other.id))
    print(`${name}: ${status}${status === 'failed' && allow_failure ? ' (allowed)' : ''}`)
  return jobs.every(({ status, allow_failure }) => allow_failure || status === 'success' || status === 'manual')
}
