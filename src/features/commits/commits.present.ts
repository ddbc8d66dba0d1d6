/** A commit as JSON. */
import type { Static } from 'typebox'
import type { FileDiff } from '../../git/diff.ts'
import type { CommitStats } from '../../git/history.ts'
import type { Commit as GitCommit } from '../../git/parse.ts'
import type { Commit, Diff } from './commits.schema.ts'
import { titleOf } from './commits.service.ts'

const shortId_chars = 8

/** A commit that git/ remembers is one object for ever, and so is what is made of it. */
const presented = new WeakMap<GitCommit, Static<typeof Commit>>()

/** The result is shared: it must not be changed. */
export function presentCommit(commit: GitCommit): Static<typeof Commit> {
  const known = presented.get(commit) ?? asJson(commit)
  presented.set(commit, known)
  return known
}

function asJson({ oid, parents, author, committer, message }: GitCommit): Static<typeof Commit> {
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
  }
}

/** Left out where they weren't asked for. */
export function presentStats(stats: CommitStats | undefined): { stats?: CommitStats } {
  return stats ? { stats } : {}
}

export function presentDiff({
  old_path,
  new_path,
  old_mode,
  new_mode,
  new_file,
  renamed_file,
  deleted_file,
  patch,
}: FileDiff): Static<typeof Diff> {
  return { old_path, new_path, a_mode: old_mode, b_mode: new_mode, new_file, renamed_file, deleted_file, diff: patch }
}
