/** A commit as JSON. */
import type { Static } from 'typebox'
import type { FileDiff } from '../../git/diff.ts'
import type { Commit as GitCommit } from '../../git/parse.ts'
import type { Commit, Diff } from './commits.schema.ts'

const shortId_chars = 8
const longTitle_chars = 100
const cutTitle_chars = 80

export function presentCommit({ oid, parents, author, committer, message }: GitCommit): Static<typeof Commit> {
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

/** The first line; a long one is cut at a space. */
export function titleOf(message: string): string {
  const line = message.split(/[\r\n]/, 1)[0] ?? ''
  if (message.trim() === '') return '--no commit message'
  if (line.length < longTitle_chars) return line
  const cut = line.slice(0, cutTitle_chars)
  const space = cut.lastIndexOf(' ')
  return `${space > 0 ? cut.slice(0, space) : cut}…`
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
