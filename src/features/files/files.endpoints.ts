/** Single files (spec 4.14). */
import { type Static, Type } from 'typebox'
import type { LocatedProject } from '../../access/find.ts'
import { notFound } from '../../failure.ts'
import { readBlob, sha256Of } from '../../git/blobs.ts'
import { lastCommitOf } from '../../git/history.ts'
import { pathParts } from '../../git/names.ts'
import { findEntry, objectInfo, readCommit } from '../../git/read.ts'
import type { Repo } from '../../git/repository.ts'
import { endpoint, streamEndpoint } from '../../http/endpoint.ts'
import { project } from '../../http/rules.ts'
import { Base64 } from '../../http/schema.ts'
import { describeInHeaders } from '../repository/headers.ts'
import { rawBlob } from '../repository/raw.ts'
import { commitAt, refuseTooLarge } from '../repository/repository.service.ts'

const description = {
  file_name: Type.String(),
  file_path: Type.String(),
  size: Type.Integer(),
  encoding: Type.String(),
  content_sha256: Type.String(),
  ref: Type.String(),
  blob_id: Type.String(),
  commit_id: Type.String(),
  last_commit_id: Type.String(),
}

const File = Type.Object({ ...description, content: Base64 })
const Description = Type.Object(description)

const query = { ref: Type.String({ description: 'Branch, tag or commit' }) }

export const files = [
  endpoint('GET /projects/:id/repository/files/:file_path', {
    summary: 'Get a file; with HEAD, only what is known of it',
    access: project('code'),
    query,
    reply: File,
    fails: { too_large: 413 },
    headers: ({ content: _, ...rest }) => describeInHeaders(rest),
    async handle({ repo, project, params, query, head }) {
      const file = await describeFile(repo, project, params.file_path, query.ref)
      if (head) return { ...file, content: '' }
      refuseTooLarge(file.size)
      const blob = await readBlob(repo, file.blob_id)
      if (!blob) throw notFound('File')
      return { ...file, content: blob.data.toString('base64') }
    },
  }),
  streamEndpoint('GET /projects/:id/repository/files/:file_path/raw', {
    summary: 'Get the bytes of a file',
    access: project('code'),
    query,
    async handle({ repo, project, params, query }) {
      const file = await describeFile(repo, project, params.file_path, query.ref)
      return rawBlob(repo, { oid: file.blob_id, size: file.size }, file.file_name, describeInHeaders(file))
    },
  }),
]

/** Everything about a file but its content. Throws 404 for an unknown commit or path. */
async function describeFile(repo: Repo, project: LocatedProject, filePath: string, ref: string): Promise<Static<typeof Description>> {
  const commit_id = await commitAt(repo, project, ref, 'Commit')
  const file_path = (pathParts(filePath) ?? []).join('/')
  const { tree } = await readCommit(repo, commit_id)
  const entry = await findEntry(repo, tree, file_path)
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!entry || !info) throw notFound('File')
  const [content_sha256, last_commit_id] = await Promise.all([
    sha256Of(repo, entry.oid, info.size),
    lastCommitOf(repo, commit_id, file_path),
  ])
  return {
    file_name: entry.name,
    file_path,
    size: info.size,
    encoding: 'base64',
    content_sha256,
    ref,
    blob_id: entry.oid,
    commit_id,
    last_commit_id: last_commit_id ?? commit_id,
  }
}
