/** Comments on commits: notes on them, in an older form of the API. */
import type { ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Note, User } from '../../../db/tables.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import { userKey } from '../../../limits/callers.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import type { NotePlace } from '../../discussion/notes/notes.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import { discussedCommit } from '../../repository/commits/commits.ts'
import { placeOnLine } from '../../review/diff-notes/diff-notes.ts'
import { prepareNote, writeNoteIn } from '../notes/notes.ts'

export interface CommentRequest {
  /** The commit as named by the caller. */
  sha: string
  note: string
  path?: string | undefined
  line?: number | undefined
  line_type: 'new' | 'old'
}

/** In characters, as always in this format. */
const maxComment_chars = 1_000_000

export function commitNoteable({ project, level }: ProjectAccess, commit: string): Noteable<'commit'> {
  return { kind: 'commit', row: discussedCommit(project.id, commit), project, level }
}

/**
 * Comments on a line if one is named, otherwise on the commit as a whole; `/tag name message` in the note tags the commit, if the author
 * may push tags. `commit` is the id that `sha` resolves to. Throws 400 for an invalid note, and for one with only a tag that can't be
 * created.
 */
export async function addComment(app: App, access: ProjectAccess, author: User, commit: string, request: CommentRequest): Promise<Note> {
  assertValid({ note: blankError(request.note) ?? lengthError(request.note, maxComment_chars) })
  const noteable = commitNoteable(access, commit)
  const place = await placeOf(app, access.project.id, author, commit, request)
  const prepared = await prepareNote(app, author, noteable, { body: request.note, ...(place && { discussion: 'new' as const }) })
  const written = await inTransaction(app.db, (tx) => writeNoteIn(tx, app, author, noteable, { ...prepared, place }))
  if (written.kind !== 'note') throw new Error('a comment on a commit left no note')
  return written.note
}

/**
 * A line is only stored if the caller gave the full id of the commit and its diff contains the line: a branch or tag moves on, and a
 * comment on another line can't be displayed.
 */
async function placeOf(
  app: App,
  projectId: number,
  author: User,
  commit: string,
  { sha, path, line, line_type }: CommentRequest,
): Promise<NotePlace | undefined> {
  if (sha !== commit || path === undefined || line === undefined) return undefined
  const repo = countedFor(app.git.open(projectId), userKey(author))
  const place = await placeOnLine(repo, await readCommit(repo, commit), { path, line, side: line_type })
  return place ? { ...place, suggestions: [] } : undefined
}
