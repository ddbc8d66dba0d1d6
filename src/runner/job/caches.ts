/** Caches of projects: archives in the runner's own folder, by key. A job sees the extracted files, never the archives. */
import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, mkdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { selectFiles } from '../files/selection.ts'
import { unzip } from '../files/unzip.ts'
import { zipOf } from '../files/zip.ts'
import type { CacheOptions } from '../protocol/payload.ts'
import { styled } from '../shell/text.ts'
import { serverKey } from './folders.ts'
import { untrackedFiles } from './scripts.ts'
import type { JobRun } from './stages.types.ts'

/** Suffix of keys for protected branches; a variable can't produce such a key. */
const protectedKey = /-protected\/*$/

/** Extracts each cache, by its key or the first existing fallback key. An unreadable cache is skipped. */
export async function restoreCaches(run: JobRun): Promise<void> {
  for (const cache of run.job.caches.filter(isUsed)) {
    const key = keyOf(run, cache)
    if (key === '') run.trace.write(styled('notice', 'Skipping cache extraction due to empty cache key'))
    else if (cache.policy === 'push') run.trace.write(styled('notice', `Not downloading cache ${key} due to policy`))
    else await restoreOne(run, [key, ...fallbackKeys(run, cache)])
  }
}

async function restoreOne(run: JobRun, keys: string[]): Promise<void> {
  for (const key of keys) {
    run.trace.write(styled('notice', `Checking cache for ${key}...`))
    const file = fileOf(run, key)
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    if (!isThere) {
      run.trace.write(styled('warning', `No cache for ${key}`))
      continue
    }
    try {
      await unzip(file, run.folders.project)
      const now = new Date()
      await utimes(file, now, now)
      run.trace.write(styled('notice', 'Successfully extracted cache'))
      return
    } catch (error) {
      run.trace.write(styled('warning', `Failed to extract cache: ${(error as Error).message}`))
    }
  }
}

/** Saves each cache whose policy and `when` require it. */
export async function saveCaches(run: JobRun, hasSucceeded: boolean, signal: AbortSignal): Promise<void> {
  for (const cache of run.job.caches.filter(isUsed)) {
    if (cache.when !== 'always' && (cache.when === 'on_success') !== hasSucceeded) continue
    const key = keyOf(run, cache)
    if (key === '') run.trace.write(styled('notice', 'Skipping cache archiving due to empty cache key'))
    else if (cache.policy === 'pull') run.trace.write(styled('notice', `Not uploading cache ${key} due to policy`))
    else await saveOne(run, { cache, key, signal })
  }
}

async function saveOne(run: JobRun, { cache, key, signal }: { cache: CacheOptions; key: string; signal: AbortSignal }): Promise<void> {
  const { trace, folders } = run
  trace.write(styled('notice', `Creating cache ${key}...`))
  const untracked = cache.untracked ? await untrackedFiles(run, signal) : null
  const paths = cache.paths.map((path) => run.variables.expand(path))
  const { files, notes } = await selectFiles(folders.project, { paths, untracked })
  for (const { isWarning, text } of notes) trace.write(isWarning ? styled('warning', `WARNING: ${text}`) : `${text}\n`)
  if (files.length === 0) return
  const file = fileOf(run, key)
  const draft = `${file}.${randomUUID()}`
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  try {
    await pipeline(zipOf(folders.project, files), createWriteStream(draft, { flags: 'wx', mode: 0o600 }), { signal })
    await rename(draft, file)
    trace.write(styled('notice', 'Created cache'))
  } catch (error) {
    await rm(draft, { force: true })
    if (signal.aborted) throw signal.reason
    trace.write(styled('warning', `Failed to create cache: ${(error as Error).message}`))
  }
}

const isUsed = ({ paths, untracked }: CacheOptions) => paths.length > 0 || untracked

function keyOf({ job, variables }: JobRun, { key }: CacheOptions): string {
  return key === '' ? `${job.job_info.name}/${job.git_info.ref}` : variables.expand(key)
}

function fallbackKeys({ variables }: JobRun, { fallback_keys }: CacheOptions): string[] {
  const usual = variables.get('CACHE_FALLBACK_KEY')
  const keys = fallback_keys.map((key) => variables.expand(key))
  return [...keys, ...(protectedKey.test(usual) ? [] : [usual])].filter((key) => key !== '')
}

/** Keys may contain anything, so their digest names the file. */
function fileOf({ home, job, credentials }: JobRun, key: string): string {
  const name = createHash('sha256').update(key).digest('hex')
  return join(home, 'cache', serverKey(credentials.url), String(job.job_info.project_id), `${name}.zip`)
}
