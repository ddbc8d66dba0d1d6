/** A commit as JSON. */
import type { Static } from 'typebox'
import type { FileDiff } from '../../git/diff-reader.ts'
import type { CommitStats } from '../../git/history.ts'
import type { Commit as GitCommit } from '../../git/parse.ts'
import type { Commit, CommitRef, Diff } from './commits.schema.ts'
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

/** Of a full name, `refs/heads/main`. */
export function presentRef(refname: string): Static<typeof CommitRef> {
  const tag = refname.startsWith('refs/tags/')
  return { type: tag ? 'tag' : 'branch', name: refname.slice((tag ? 'refs/tags/' : 'refs/heads/').length) }
}

/** Left out where they weren't asked for. */
export function presentStats(stats: CommitStats | undefined): { stats?: CommitStats } {
  return stats ? { stats } : {}
}

export function presentDiff({ old_mode, new_mode, patch, ...rest }: FileDiff): Static<typeof Diff> {
  return { ...rest, a_mode: old_mode, b_mode: new_mode, diff: patch }
}
