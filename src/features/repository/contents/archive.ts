/** The archive of a commit as a reply, for any URL at which it is requested. */
import { createHash } from 'node:crypto'
import type { LocatedProject } from '../../../access/find.ts'
import { Failure, notFound } from '../../../failure.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type ArchiveFormat, canArchive, openArchive } from '../../../git/wire/archive.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { requireCommitOrTip } from '../revisions.ts'

/** Names of formats in requests. */
export const formats = new Map<string, ArchiveFormat>([
  ['tar.gz', 'tar.gz'],
  ['tgz', 'tar.gz'],
  ['gz', 'tar.gz'],
  ['tar.bz2', 'tar.bz2'],
  ['tbz', 'tar.bz2'],
  ['tbz2', 'tar.bz2'],
  ['tb2', 'tar.bz2'],
  ['bz2', 'tar.bz2'],
  ['tar', 'tar'],
  ['zip', 'zip'],
])

const types: Record<ArchiveFormat, string> = {
  'tar.gz': 'application/gzip',
  'tar.bz2': 'application/x-bzip2',
  tar: 'application/x-tar',
  zip: 'application/zip',
}

/** Throws 404 for an unknown commit or format, 406 for a format that this server has no program for. */
export async function archive(repo: Repo, project: LocatedProject, sha: string | undefined, wanted: string): Promise<RawReply> {
  const format = formats.get(wanted)
  if (!format) throw notFound()
  const commit = await requireCommitOrTip(repo, project, sha, 'File')
  if (!(await canArchive(format))) throw new Failure('unsupported', '406 This server has no bzip2; ask for tar.gz, tar or zip')
  const name = `${project.path}-${slugOf(shortRevision(sha || project.default_branch || ''))}-${commit}`
  const file = `${name}.${format}`
  return {
    // Weak, since another version of git or of a compressor may produce other bytes for the same files.
    etag: `W/"${createHash('sha256').update(file).digest('hex').slice(0, 40)}"`,
    describe: () => ({ type: types[format], 'content-disposition': disposition('attachment', file) }),
    open: () => openArchive(repo, commit, format, name),
  }
}

const longestSlug_chars = 100

/** A ref as a part of a file name, short enough for every file system. */
function slugOf(ref: string): string {
  return [...ref.replaceAll('/', '-')].slice(0, longestSlug_chars).join('')
}
