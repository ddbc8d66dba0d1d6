/** The blame of a file: the last commit of each line. */
import { type Static, Type } from 'typebox'
import { Failure } from '../../../failure.ts'
import { blame, linesOf } from '../../../git/history/blame.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommitsWithin } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { Instant, resource } from '../../../http/parameters/schema.ts'
import { describeInHeaders } from './file-headers.ts'
import { type Description, describeFile, type FoundFile, findFile, query } from './files.endpoints.ts'

const BlamedCommit = resource('BlamedCommit', {
  id: Type.String(),
  parent_ids: Type.Array(Type.String()),
  message: Type.String(),
  authored_date: Instant,
  author_name: Type.String(),
  author_email: Type.String(),
  committed_date: Instant,
  committer_name: Type.String(),
  committer_email: Type.String(),
})

const BlameRanges = Type.Array(resource('BlameRange', { commit: BlamedCommit, lines: Type.Array(Type.String()) }))

/** Maximum size of the file: the time of git and the size of the reply grow with it. */
const max_bytes = 4 * 1024 * 1024
const maxLines = 200_000
/** Each range of lines repeats the message of its commit. */
const maxMessages_chars = 16 * 1024 * 1024

/** The metadata of a file for the headers of a reply. */
const described = new WeakMap<Static<typeof BlameRanges>, Static<typeof Description>>()

export const blames = [
  endpoint('GET /projects/:id/repository/files/:file_path/blame', {
    summary: 'Get the blame of a file; with HEAD, only its metadata',
    access: project('code'),
    query,
    reply: BlameRanges,
    headers: (ranges) => describeInHeaders({ ...described.get(ranges) }),
    async handle({ repo, project, params, query, head }) {
      const file = await findFile(repo, project, params.file_path, query.ref)
      const ranges = head ? [] : await blameFile(repo, file)
      described.set(ranges, await describeFile(repo, file))
      return ranges
    },
  }),
]

async function blameFile(repo: Repo, { oid, size, commit, path }: FoundFile): Promise<Static<typeof BlameRanges>> {
  assertNotTooLargeForBlame(size > max_bytes)
  const lines = linesOf((await readBlob(repo, oid))?.data ?? Buffer.alloc(0))
  assertNotTooLargeForBlame(lines.length > maxLines)
  const ranges = await blame(repo, commit, path)
  const oids = [...new Set(ranges.map((range) => range.commit))]
  const found = await readCommitsWithin(repo, oids, maxMessages_chars)
  assertNotTooLargeForBlame(found.length < oids.length)
  const commits = new Map(found.map((commit) => [commit.oid, commit]))
  assertNotTooLargeForBlame(ranges.reduce((sum, range) => sum + (commits.get(range.commit)?.message.length ?? 0), 0) > maxMessages_chars)
  const presented = new Map([...commits].map(([id, found]) => [id, present(found)]))
  let at = 0
  return ranges.map(({ commit, count }) => {
    at += count
    return { commit: presented.get(commit) as Static<typeof BlamedCommit>, lines: lines.slice(at - count, at) }
  })
}

function assertNotTooLargeForBlame(tooLarge: boolean): void {
  if (tooLarge) throw new Failure('too_large', '413 The file is too large to blame')
}

function present({ oid, parents, message, author, committer }: Commit): Static<typeof BlamedCommit> {
  return {
    id: oid,
    parent_ids: parents,
    message,
    authored_date: author.date,
    author_name: author.name,
    author_email: author.email,
    committed_date: committer.date,
    committer_name: committer.name,
    committer_email: committer.email,
  }
}
