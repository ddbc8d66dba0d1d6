/** A commit as JSON. */
import type { Static } from 'typebox'
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import type { CommitStats } from '../../../git/history/history.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { trailersOf } from '../../../git/objects/commit-trailers.ts'
import type { Commit as GitCommit } from '../../../git/objects/parse.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentOnce } from '../../../http/reply/serialize.ts'
import type { Commit, CommitDetail, CommitInList, CommitRef, Diff } from './commits.schema.ts'

const shortId_chars = 8

/**
 * A commit cached in git/ is always the same object, so its JSON is cached with it and must not be changed.
 * @param project URL of its page (`projectUrl`)
 */
export const presentCommit = presentOnce(asJson)

/** As `presentCommit`, for a list that git/ caches. */
export const presentCommits = presentOnce((commits: GitCommit[], project) => commits.map((commit) => presentCommit(commit, project)))

function asJson({ oid, parents, author, committer, message }: GitCommit, project: string): Static<typeof Commit> {
  return {
    id: oid,
    short_id: oid.slice(0, shortId_chars),
    title: titleOf(message),
    created_at: committer.date,
    parent_ids: parents,
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: author.date,
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committer.date,
    trailers: trailersOf(message),
    web_url: commitUrl(project, oid),
  }
}

function commitUrl(project: string, oid: string): string {
  return `${project}/-/commit/${oid}`
}

/** Presents a ref by its full name, `refs/heads/main`. */
export function presentRef(refname: string): Static<typeof CommitRef> {
  const tag = refname.startsWith('refs/tags/')
  return { type: tag ? 'tag' : 'branch', name: refname.slice((tag ? 'refs/tags/' : 'refs/heads/').length) }
}

/** Values that are only shown for a single commit. */
interface CommitContext {
  /** Undefined if they weren't requested. */
  stats: CommitStats | undefined
  last_pipeline: PipelineInBrief | null
  project_id: number
  /** URL of the project's page. */
  project: string
}

type PipelineInBrief = Omit<NonNullable<Static<typeof CommitDetail>['last_pipeline']>, 'web_url'>

export function presentCommitDetail(commit: GitCommit, context: CommitContext): Presented<typeof CommitDetail> {
  const { oid, parents, author, committer, message } = commit
  const { stats, last_pipeline: pipeline, project } = context
  return {
    id: oid,
    short_id: oid.slice(0, shortId_chars),
    title: titleOf(message),
    created_at: committer.date,
    parent_ids: parents,
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: author.date,
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committer.date,
    trailers: trailersOf(message),
    web_url: commitUrl(project, oid),
    stats,
    status: pipeline?.status ?? null,
    last_pipeline: pipeline && presentPipelineInBrief(pipeline, project),
    project_id: context.project_id,
  }
}

function presentPipelineInBrief({ id, ref, sha, status }: PipelineInBrief, project: string) {
  return { id, ref, sha, status, web_url: `${project}/pipelines/${id}` }
}

export function presentCommitWithStats(commit: GitCommit, stats: CommitStats | undefined, project: string): Presented<typeof CommitInList> {
  const { oid, parents, author, committer, message } = commit
  return {
    id: oid,
    short_id: oid.slice(0, shortId_chars),
    title: titleOf(message),
    created_at: committer.date,
    parent_ids: parents,
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: author.date,
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committer.date,
    trailers: trailersOf(message),
    web_url: commitUrl(project, oid),
    stats,
  }
}

export function presentDiff(file: FileDiff): Static<typeof Diff> {
  return {
    old_path: file.old_path,
    new_path: file.new_path,
    a_mode: file.old_mode,
    b_mode: file.new_mode,
    new_file: file.new_file,
    renamed_file: file.renamed_file,
    deleted_file: file.deleted_file,
    diff: file.patch,
    too_large: file.too_large,
    collapsed: file.collapsed,
  }
}
