/** Artifacts: uploaded by the runner of the job, downloaded by other jobs and by users. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { badParameter, notFound, tooLarge } from '../../../failure.ts'
import { endpoint, type RawReply, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { LargeFile, Message, nameInPath, none, oneOf, resource } from '../../../http/parameters/schema.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { jobInProject, jobReaders } from '../job-access/job-access.ts'
import { runningJob } from '../job-tokens/job-tokens.ts'
import { openArchived } from './archive.ts'
import { fileFormats, fileTypes } from './artifact-types.ts'
import { dependingJob, requireReader } from './artifacts.access.ts'
import { latestJobWithArchive } from './artifacts.queries.ts'
import { maxArtifact_bytes, removeArtifacts, removeArtifactsOfProject, requireArtifact, storeArtifact } from './artifacts.service.ts'

const token = Type.Optional(Type.String({ description: 'The token of the job, instead of `Job-Token`' }))
const job = Type.String({ description: 'Name of the job' })
const ref_name = nameInPath('A branch or tag')
const artifact_path = nameInPath('Path in the archive')

export const artifacts = [
  endpoint('POST /jobs/:id/artifacts/authorize', {
    summary: 'Check whether a running job may send a file',
    access: runningJob(),
    body: { token, filesize: Type.Optional(Type.Integer({ minimum: 0, description: 'In bytes' })) },
    reply: resource('ArtifactAuthorization', { MaximumSize: Type.Integer({ description: 'In bytes' }) }),
    status: 200,
    async handle({ app, body: { filesize = 0 } }) {
      const MaximumSize = await maxArtifact_bytes(app)
      if (filesize > MaximumSize) throw tooLarge()
      return { MaximumSize }
    },
  }),
  endpoint('POST /jobs/:id/artifacts', {
    summary: 'Upload a file of a running job',
    access: runningJob(),
    body: {
      token,
      file: LargeFile,
      artifact_type: Type.Optional(oneOf(...fileTypes)),
      artifact_format: Type.Optional(oneOf(...fileFormats)),
      expire_in: Type.Optional(Type.String({ description: 'Such as `1 week`, or `never`; the setting of the instance by default' })),
    },
    maxFile_bytes: maxArtifact_bytes,
    reply: Message,
    async handle({ app, running, body: { file, artifact_type = 'archive', artifact_format = 'zip', expire_in = null } }) {
      await storeArtifact(app, running, { file, file_type: artifact_type, file_format: artifact_format, expire_in })
      return { message: '201 Created' }
    },
  }),
  streamEndpoint('GET /jobs/:id/artifacts', {
    summary: 'Download the artifacts of a job into a running job',
    access: dependingJob(),
    query: { token, direct_download: Type.Optional(Type.Boolean({ description: 'Accepted; the bytes are sent all the same' })) },
    handle: async ({ app, job_id }) => download(app, await requireArtifact(app.db, job_id, 'archive')),
  }),
  streamEndpoint('GET /projects/:id/jobs/:job_id/artifacts', {
    summary: 'Download the artifacts of a job',
    access: within(jobReaders(), jobInProject),
    jobTokens: true,
    handle: async ({ app, job, level }) => download(app, await archiveFor(app, { level }, job.row.id)),
  }),
  streamEndpoint('GET /projects/:id/jobs/:job_id/artifacts/:artifact_path', {
    summary: 'Download a file of the artifacts of a job',
    access: within(jobReaders(), jobInProject),
    params: { artifact_path },
    restOfPath: true,
    jobTokens: true,
    fails: ['too_large', 'unprocessable'],
    handle: async ({ app, job, level, params }) => oneFile(app, await archiveFor(app, { level }, job.row.id), params.artifact_path),
  }),
  streamEndpoint('GET /projects/:id/jobs/artifacts/:ref_name/download', {
    summary: 'Download the latest artifacts of a branch or tag',
    access: jobReaders(),
    params: { ref_name },
    query: { job },
    jobTokens: true,
    handle: async ({ app, project, level, params, query }) =>
      download(app, await archiveFor(app, { level }, await latest(app, project.id, params.ref_name, query.job))),
  }),
  streamEndpoint('GET /projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path', {
    summary: 'Download a file of the latest artifacts of a branch or tag',
    access: jobReaders(),
    params: { ref_name, artifact_path },
    query: { job },
    restOfPath: true,
    jobTokens: true,
    fails: ['too_large', 'unprocessable'],
    handle: async ({ app, project, level, params, query }) =>
      oneFile(app, await archiveFor(app, { level }, await latest(app, project.id, params.ref_name, query.job)), params.artifact_path),
  }),
  endpoint('DELETE /projects/:id/jobs/:job_id/artifacts', {
    summary: 'Delete the artifacts of a job',
    access: within(project('delete_artifacts'), jobInProject),
    reply: none,
    async handle({ app, job }) {
      await removeArtifacts(app, job.row.id)
      return null
    },
  }),
  endpoint('DELETE /projects/:id/artifacts', {
    summary: 'Delete the artifacts of all jobs of a project that have ended',
    access: project('delete_artifacts'),
    reply: Message,
    status: 202,
    async handle({ app, project }) {
      await removeArtifactsOfProject(app, project.id)
      return { message: '202 Accepted' }
    },
  }),
]

async function latest(app: App, project_id: number, ref: string, name: string): Promise<number> {
  const found = /\0/.test(ref + name) ? null : await latestJobWithArchive(app.db, project_id, ref, name)
  if (found === null) throw notFound()
  return found
}

async function archiveFor(app: App, reader: Pick<ProjectGranted, 'level'>, job_id: number): Promise<CiArtifact> {
  const found = await requireArtifact(app.db, job_id, 'archive')
  requireReader(reader, found)
  return found
}

function download(app: App, { id, size, filename, store_key }: CiArtifact): RawReply {
  return {
    etag: `"artifact-${id}"`,
    size,
    describe: () => ({ type: 'application/zip', 'content-disposition': disposition('attachment', filename) }),
    open: (part) => app.store.open(store_key, part),
  }
}

async function oneFile(app: App, archive: CiArtifact, path: string): Promise<RawReply> {
  if (path.includes('\0') || path.split('/').includes('..')) throw badParameter('artifact_path is invalid')
  const file = await openArchived(app, archive, path)
  if (!file) throw notFound()
  const name = path.split('/').at(-1) ?? path
  return {
    describe: () => ({
      type: 'application/octet-stream',
      'content-disposition': disposition('attachment', name),
      'content-length': String(file.size),
    }),
    open: () => file.open(),
  }
}
