/** Files of CI for tests that walk over all endpoints: archives of jobs, and a package. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { inTransaction } from '../../src/db/database.ts'
import { now } from '../../src/db/instants.ts'
import { insertArtifact } from '../../src/features/ci/artifacts/artifacts.queries.ts'
import { insertChunks } from '../../src/features/ci/traces/traces.queries.ts'
import { refer, storeObject } from '../../src/features/storage/object-storage/object-storage.ts'
import type { Forge, TestProject } from './forge.ts'
import { jobOf } from './jobs.ts'

/** An archive with the file `a.txt`, of a job in whichever state. */
export async function archiveOfJob({ app }: Forge, project: { id: number }, job: { id: number }): Promise<void> {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from('a text'), 'a.txt')
  zip.end()
  const bytes = await buffer(zip.outputStream)
  const sum = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  const store_key = await storeObject(app, 'artifacts', Readable.from([bytes]), sum)
  const row = { job_id: job.id, project_id: project.id, file_type: 'archive', file_format: 'zip', filename: 'artifacts.zip' } as const
  await inTransaction(app.db, async (tx) => {
    await refer(tx, store_key)
    await insertArtifact(tx, { ...row, ...sum, store_key, expires_at: null, created_at: now() })
  })
}

/** A version of a generic package with one file, and their names in paths. */
export async function makePackage(forge: Forge, project: Pick<TestProject, 'id'>, package_name = 'tool'): Promise<Record<string, string>> {
  const named = { package_name, package_version: '1.0.0', file_name: 'tool.txt' }
  const url = `/api/v4/projects/${project.id}/packages/generic/${package_name}/1.0.0/tool.txt`
  await forge.server.inject({ method: 'PUT', url, headers: { 'private-token': forge.root.token }, payload: Buffer.from('a tool') })
  const { body } = await forge.as(forge.root).get(`/projects/${project.id}/packages?package_name=${package_name}`)
  const package_id = String(body[0].id)
  const { body: files } = await forge.as(forge.root).get(`/projects/${project.id}/packages/${package_id}/package_files`)
  return { ...named, package_id, package_file_id: String(files[0].id) }
}

/** A trace of one line, of a job in whichever state. */
export async function traceOfJob({ app }: Forge, { id: job_id }: { id: number }): Promise<void> {
  const bytes = Buffer.from('a line\n')
  await app.db.insertInto('ci_traces').values({ job_id, length: bytes.length, shown: bytes.length, size: null, store_key: null }).execute()
  await insertChunks(app.db, job_id, [{ start: 0, bytes }])
}

/** A job of `main` that has succeeded, its archive and its trace, and a package; and their names in paths. */
export async function makeFilesOfCi(forge: Forge, project: TestProject): Promise<Record<string, string>> {
  const job = await jobOf(forge, project, forge.root, { status: 'success' })
  await archiveOfJob(forge, project, job)
  await traceOfJob(forge, job)
  const named = await makePackage(forge, project)
  return Object.assign(named, {
    job_id: String(job.id),
    pipeline_id: String(job.pipeline_id),
    ref_name: 'main',
    artifact_path: 'a.txt',
    job: 'test',
  })
}
