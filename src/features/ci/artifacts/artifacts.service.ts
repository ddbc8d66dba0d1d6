/** Stores the files that jobs upload while they run, until these expire. */
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { App } from '../../../app.ts'
import type { PlannedJob } from '../../../ci/plan.ts'
import { parseDuration } from '../../../ci/text/durations.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import type { LargeUpload } from '../../../http/parameters/upload.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { abandonAll, refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import { assertRoomIn } from '../../storage/quotas/quotas.ts'
import type { RunningJob } from '../job-tokens/job-tokens.ts'
import { type FileType, type fileFormats, maxDotenv_bytes, parseDotenv, usualName } from './artifact-types.ts'
import {
  artifactOf,
  deleteArtifactsOf,
  deleteArtifactsOfProject,
  insertArtifact,
  isKeptAsLatest,
  keepForEver,
  updateJobRow,
} from './artifacts.queries.ts'

const mib = 1024 * 1024

/** The limit of the instance. */
export async function maxArtifact_bytes(app: App): Promise<number> {
  return (await readSettings(app.db)).max_artifacts_size * mib
}

export interface NewArtifact {
  file: LargeUpload
  file_type: FileType
  file_format: (typeof fileFormats)[number]
  /** As written in the CI file; `never`, or null for the default of the instance. */
  expire_in: string | null
}

/** Stores a file of a running job. Repeating an upload succeeds; a different file of the same type is rejected with 400. */
export async function storeArtifact(app: App, { job }: RunningJob, sent: NewArtifact): Promise<void> {
  const { file, file_type, file_format } = sent
  const sum = file.content.sum()
  const known = await artifactOf(app.db, job.id, file_type)
  if (known) return requireSame(known, sum.sha256)
  await assertRoomIn(app, job.project_id, sum.size)
  const expires_at = await expiryOf(app, sent.expire_in)
  const dotenv = file_type === 'dotenv' ? await readDotenv(file, file_format) : null
  const store_key = await storeDraft(app, 'artifacts', file.content)
  const plan = JSON.parse(job.plan) as Partial<PlannedJob>
  const row = {
    job_id: job.id,
    project_id: job.project_id,
    file_type,
    file_format,
    filename: nameOf(file.filename) ?? usualName(file_type, file_format),
    size: sum.size,
    sha256: sum.sha256,
    store_key,
    public: plan.options?.artifacts?.public ?? true,
    expires_at,
    created_at: now(),
  }
  await inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, job.project_id)
    if (!(await refer(tx, store_key))) throw new Failure('timed_out', 'It took too long to store the file.')
    await insertArtifact(tx, row)
    await updateJobRow(tx, job.id, {
      artifacts_expire_at: expires_at,
      ...(dotenv && { dotenv: app.secrets.seal(JSON.stringify(dotenv), 'ci_jobs.dotenv') }),
    })
  }).catch(async (error: unknown) => {
    const other = isUniqueViolation(error) ? await artifactOf(app.db, job.id, file_type) : null
    if (!other) throw error
    requireSame(other, sum.sha256)
  })
}

function requireSame({ sha256 }: CiArtifact, sent: string): void {
  if (sha256 !== sent) throw invalid('another artifact of the same type already exists')
}

/** The last part of a path, without characters that file systems don't support. */
function nameOf(sent: string): string | null {
  const name = (sent.split(/[\\/]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').slice(0, 255)
  return name === '' || name === '.' || name === '..' ? null : name
}

/** Null for never. */
async function expiryOf(app: App, expire_in: string | null): Promise<string | null> {
  const text = (expire_in ?? '') === '' ? (await readSettings(app.db)).default_artifacts_expire_in : (expire_in as string)
  if (/^\s*(never|0)\s*$/i.test(text)) return null
  const seconds = parseDuration(text)
  if (seconds === null) throw invalid('expire_in should be a duration')
  const at = Date.now() + seconds * 1_000
  // Later than a date can be, so it never expires.
  return at > Date.parse('9000-01-01') ? null : new Date(at).toISOString()
}

async function readDotenv({ content }: LargeUpload, format: string): Promise<{ key: string; value: string }[]> {
  const tooLarge = () => invalid('Dotenv Artifact Too Big')
  if (content.size > maxDotenv_bytes) throw tooLarge()
  const bytes = await buffer(content.open())
  try {
    const text = (format === 'gzip' ? gunzipSync(bytes, { maxOutputLength: maxDotenv_bytes }) : bytes).toString('utf8')
    const found = parseDotenv(text)
    if (typeof found === 'string') throw invalid(found)
    return found
  } catch (error) {
    if (error instanceof Failure) throw error
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : invalid('Invalid Format')
  }
}

/** A downloadable file of the job; throws 404 if there is none, or it has expired. */
export async function requireArtifact(db: Db, job_id: number, file_type: FileType): Promise<CiArtifact> {
  const found = await artifactOf(db, job_id, file_type)
  if (!found || !(await isAvailable(db, found))) throw notFound()
  return found
}

export async function isAvailable(db: Db, { expires_at, job_id }: CiArtifact): Promise<boolean> {
  return expires_at === null || expires_at > now() || isKeptAsLatest(db, job_id)
}

/** Keeps the artifacts of the job until someone deletes them. Throws 404 if it has none. */
export async function keepArtifacts(app: App, job_id: number): Promise<void> {
  await requireArtifact(app.db, job_id, 'archive')
  await inTransaction(app.db, (tx) => keepForEver(tx, job_id))
}

/** Removes all files of these jobs, when the jobs are erased or deleted. */
export async function removeArtifactsOf(tx: Db, job_ids: readonly number[]): Promise<void> {
  await abandonAll(tx, await deleteArtifactsOf(tx, job_ids))
}

/** As `removeArtifactsOf` for one job, in its own transaction. */
export function removeArtifacts(app: App, job_id: number): Promise<void> {
  return inTransaction(app.db, (tx) => removeArtifactsOf(tx, [job_id]))
}

const atOnce = 500

/** Removes the files of all finished jobs of a project. */
export async function removeArtifactsOfProject(app: App, project_id: number): Promise<void> {
  for (;;) {
    const removed = await inTransaction(app.db, async (tx) => {
      const keys = await deleteArtifactsOfProject(tx, project_id, atOnce)
      await abandonAll(tx, keys)
      return keys.length
    })
    if (removed < atOnce) return
  }
}
