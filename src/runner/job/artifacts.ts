/** Artifacts: those of earlier jobs are extracted before the script, those of this job are uploaded after it. */
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SelectedFile, selectFiles } from '../files/selection.ts'
import { unzip } from '../files/unzip.ts'
import { gzipOf, zipOf } from '../files/zip.ts'
import { downloadArtifacts, uploadArtifacts } from '../protocol/client.ts'
import type { ArtifactOptions, Dependency } from '../protocol/payload.ts'
import { styled } from '../shell/text.ts'
import { untrackedFiles } from './scripts.ts'
import { JobFailed, type JobRun } from './stages.types.ts'

const tries = 3
const pause_ms = 3_000
/** Statuses after which retrying is useless. */
const finalStatuses = new Set([401, 403, 404])

/** Downloads and extracts the artifacts of all dependencies that have some. */
export async function fetchDependencies(run: JobRun, signal: AbortSignal): Promise<void> {
  for (const dependency of run.job.dependencies.filter(({ filename }) => filename !== null)) {
    run.trace.write(styled('notice', `Downloading artifacts for ${dependency.name} (${dependency.id})...`))
    const file = await fetchOne(run, dependency, signal)
    const { count, refused } = await unzip(file, run.folders.project)
    await rm(file, { force: true })
    for (const name of refused.slice(0, 20))
      run.trace.write(styled('warning', `WARNING: ${name}: not extracted, it is below a link or a file`))
    run.trace.write(`Extracted ${count} files and directories\n`)
  }
}

async function fetchOne(run: JobRun, { id, token, name }: Dependency, signal: AbortSignal): Promise<string> {
  const { url } = run.credentials
  for (let attempt = 1; ; attempt++) {
    const file = join(run.folders.aside, `artifacts-${id}-${attempt}.zip`)
    const status = await downloadArtifacts({ url, id, token }, file).catch(() => 0)
    if (status === 200) return file
    await rm(file, { force: true })
    if (attempt === tries || finalStatuses.has(status)) {
      const why = status === 0 ? 'the connection failed' : `the server answered ${status}`
      throw new JobFailed(`could not download the artifacts of ${name}: ${why}`)
    }
    await sleep(pause_ms, undefined, { signal })
  }
}

/** Uploads all artifacts that are kept for this outcome of the job. */
export async function sendArtifacts(run: JobRun, hasSucceeded: boolean, signal: AbortSignal): Promise<void> {
  for (const options of run.job.artifacts) {
    if (options.when !== 'always' && (options.when === 'on_success') !== hasSucceeded) continue
    if (options.paths.length > 0 || options.untracked) await sendOne(run, options, signal)
  }
}

async function sendOne(run: JobRun, options: ArtifactOptions, signal: AbortSignal): Promise<void> {
  const { trace, folders, variables } = run
  trace.write(styled('notice', 'Uploading artifacts...'))
  const untracked = options.untracked ? await untrackedFiles(run, signal) : null
  const expanded = (paths: string[]) => paths.map((path) => variables.expand(path))
  const { files, notes } = await selectFiles(folders.project, {
    paths: expanded(options.paths),
    exclude: expanded(options.exclude),
    untracked,
  })
  for (const { isWarning, text } of notes) trace.write(isWarning ? styled('warning', `WARNING: ${text}`) : `${text}\n`)
  const kept = options.format === 'zip' ? files : files.filter(({ stats }) => stats.isFile())
  if (options.format === 'raw' && kept.length > 1) throw new JobFailed('artifacts of the format raw must be one file')
  if (kept.length === 0) trace.write(styled('error', 'ERROR: No files to upload'))
  else await upload(run, { options, files: kept, signal })
}

async function upload(
  run: JobRun,
  { options, files, signal }: { options: ArtifactOptions; files: SelectedFile[]; signal: AbortSignal },
): Promise<void> {
  const about = options.type === 'archive' ? 'artifacts' : `artifacts as "${options.type}"`
  for (let attempt = 1; ; attempt++) {
    if (signal.aborted) throw signal.reason
    const { type, format, expire_in } = options
    const file = { filename: filenameOf(run, options, files), content: contentOf(run, format, files), type, format, expire_in }
    const { reply, status } = await uploadArtifacts(run.credentials, file).catch(() => ({ reply: 'failed' as const, status: 0 }))
    if (reply === 'stored') {
      run.trace.write(`Uploading ${about} to the server... 201 Created\n`)
      return
    }
    const why = { too_large: 'they are too large', forbidden: 'forbidden', busy: 'the server is busy', failed: `status ${status}` }[reply]
    run.trace.write(styled('warning', `WARNING: Uploading ${about} to the server... ${why}`))
    if (reply === 'too_large' || reply === 'forbidden' || attempt === tries) throw new JobFailed(`could not upload the artifacts: ${why}`)
    await sleep(pause_ms, undefined, { signal })
  }
}

function filenameOf({ variables }: JobRun, { name, type, format }: ArtifactOptions, files: SelectedFile[]): string {
  const usual = type === 'archive' ? 'artifacts' : type
  const named = (variables.expand(name) || (format === 'raw' ? basename(files[0]?.path ?? usual) : usual)).replaceAll('/', '_')
  return `${named}${{ zip: '.zip', gzip: '.gz', raw: '' }[format]}`
}

/** Created again for each attempt, since it is streamed and never stored. */
function contentOf({ folders }: JobRun, format: ArtifactOptions['format'], files: SelectedFile[]): Readable {
  if (format === 'zip') return zipOf(folders.project, files)
  return format === 'gzip' ? gzipOf(folders.project, files) : createReadStream(join(folders.project, files[0]?.path ?? ''))
}
