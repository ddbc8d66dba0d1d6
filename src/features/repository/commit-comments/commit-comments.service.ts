/** The rules of comments on commits. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { isInDiff } from '../../../git/diff/diff-position.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { countedFor } from '../../../git/repository/repository.ts'
import { userKey } from '../../../limits/streams.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { type Comment, insertComment } from './commit-comments.queries.ts'

export interface CommentRequest {
  /** The commit as the caller named it. */
  sha: string
  note: string
  path?: string | undefined
  line?: number | undefined
  line_type: 'new' | 'old'
}

const longestNote = 1_000_000

/** Comments on a line where one is named, otherwise on the commit as a whole. `commit` is the id that `sha` resolves to. */
export async function addComment(app: App, projectId: number, author: User, commit: string, request: CommentRequest): Promise<Comment> {
  const { note } = request
  assertValid({ note: blankError(note) ?? lengthError(note, longestNote) })
  const place = await placeOf(app, projectId, author, commit, request)
  const comment = { project_id: projectId, commit_oid: commit, author_id: author.id, note, ...place, created_at: now() }
  return inTransaction(app.db, async (tx) => {
    const row = await insertComment(tx, comment)
    const { id, project_id, author_id, created_at } = row
    await publish(tx, { type: 'commit_commented', project_id, author_id, comment_id: id, at: created_at })
    return { ...row, author }
  })
}

const nowhere = { path: null, line: null, line_type: null }

/**
 * A line is kept only where the full id of the commit was given and its diff has the line: a branch or a tag moves on, and a
 * comment on another line can't be shown.
 */
async function placeOf(app: App, projectId: number, author: User, commit: string, { sha, path, line, line_type }: CommentRequest) {
  if (sha !== commit || path === undefined || line === undefined) return nowhere
  const repo = countedFor(app.git.open(projectId), userKey(author))
  const found = await isInDiff(repo, await readCommit(repo, commit), { path, line, side: line_type })
  return found ? { path, line, line_type } : nowhere
}
