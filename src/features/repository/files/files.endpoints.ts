/** Single files (spec 4.14). */
import { type Static, Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { notFound } from '../../../failure.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { readBlob, sha256Of } from '../../../git/objects/blobs.ts'
import { pathParts } from '../../../git/objects/paths.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import type { ObjectInfo } from '../../../git/process/cat-file-pool.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { endpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { Base64, resource } from '../../../http/parameters/schema.ts'
import { constant } from '../../../http/reply/serialize.ts'
import { assertFitsInJson, rawBlob } from '../contents/contents.ts'
import { requireCommitOrTip } from '../revisions.ts'
import { describeInHeaders } from './file-headers.ts'

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

const File = resource('RepositoryFile', { ...description, content: Base64 })
export const Description = Type.Object(description)

export const query = { ref: Type.String({ default: 'HEAD', description: 'Branch, tag or commit; the default branch by default' }) }

export const files = [
  endpoint('GET /projects/:id/repository/files/:file_path', {
    summary: 'Get a file; with HEAD, only its metadata',
    access: project('code'),
    fromRepository: true,
    query,
    reply: File,
    headers: ({ content: _, ...rest }) => describeInHeaders(rest),
    async handle({ repo, project, params, query, head }) {
      const commit = await requireCommitOrTip(repo, project, query.ref, 'Commit')
      if (!head) return readFile(repo, commit, params.file_path, query.ref)
      return { ...(await describeFile(repo, await fileIn(repo, commit, params.file_path, query.ref))), content: '' }
    },
  }),
  streamEndpoint('GET /projects/:id/repository/files/:file_path/raw', {
    limit: 'raw_blob',
    summary: 'Get the raw content of a file',
    access: project('code'),
    query,
    async handle({ repo, project, params, query }) {
      const file = await findFile(repo, project, params.file_path, query.ref)
      return rawBlob(repo, file, file.name, async () => describeInHeaders(await describeFile(repo, file)))
    },
  }),
]

export interface FoundFile extends ObjectInfo {
  name: string
  path: string
  ref: string
  commit: string
}

const maxKept_chars = 256 * 1024

/** A file of a commit never changes, so its answer is cached. Throws as `fileIn` does, and 413 for a file that is too large for JSON. */
function readFile(repo: Repo, commit: string, filePath: string, ref: string): Promise<Static<typeof File>> {
  return cached(
    repo.git.cache,
    `${repo.dir} file ${JSON.stringify([commit, filePath, ref])}`,
    async () => {
      const known = await describeFile(repo, await fileIn(repo, commit, filePath, ref))
      assertFitsInJson(known.size)
      const blob = await readBlob(repo, known.blob_id)
      if (!blob) throw notFound('File')
      return constant({ ...known, content: blob.data.toString('base64') })
    },
    // Counts the cached text, too, which contains the content again. Large files would evict many small ones.
    ({ content, file_path }) => (content.length > maxKept_chars ? Infinity : 3_000 + 2 * content.length + 10 * file_path.length),
  )
}

/** Throws 404 for an unknown commit, and for a path that isn't a file: a folder, a submodule, nothing. */
export async function findFile(repo: Repo, project: LocatedProject, filePath: string, ref: string): Promise<FoundFile> {
  return fileIn(repo, await requireCommitOrTip(repo, project, ref, 'Commit'), filePath, ref)
}

async function fileIn(repo: Repo, commit: string, filePath: string, ref: string): Promise<FoundFile> {
  const path = (pathParts(filePath) ?? []).join('/')
  const { tree } = await readCommit(repo, commit)
  const entry = await findEntry(repo, tree, path)
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!entry || !info) throw notFound('File')
  return { ...info, name: entry.name, path, ref, commit }
}

/** Everything about a file except its content. */
export async function describeFile(repo: Repo, { name, path, ref, commit, oid, size }: FoundFile): Promise<Static<typeof Description>> {
  const [content_sha256, last_commit_id] = await Promise.all([sha256Of(repo, oid, size), lastCommitOf(repo, commit, path)])
  return {
    file_name: name,
    file_path: path,
    size,
    encoding: 'base64',
    content_sha256,
    ref,
    blob_id: oid,
    commit_id: commit,
    last_commit_id: last_commit_id ?? commit,
  }
}
