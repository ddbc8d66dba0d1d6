/** The rules of comments on commits. */
import type { LocatedProject, ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, invalid } from '../../../failure.ts'
import { isInDiff } from '../../../git/diff/diff-position.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { countedFor } from '../../../git/repository/repository.ts'
import { userKey } from '../../../limits/streams.ts'
import { projectUrl } from '../../../links.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { type Command, splitQuickActions } from '../../planning/quick-actions/quick-actions.ts'
import type { Pusher } from '../pushes/pushes.ts'
import { createTag } from '../tags/tags.ts'
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

/**
 * Comments on a line where one is named, otherwise on the commit as a whole; `/tag name message` in the note tags it, where the author
 * may push tags. `commit` is the id that `sha` resolves to. Throws 400 for an invalid note, and for nothing but a tag that can't be.
 */
export async function addComment(
  app: App,
  { project, level }: ProjectAccess,
  author: User,
  commit: string,
  request: CommentRequest,
): Promise<Comment> {
  assertValid({ note: blankError(request.note) ?? lengthError(request.note, longestNote) })
  const { text, commands } = splitQuickActions(request.note)
  const tag = await tagCommit(app, { project, level, user: author }, commit, commands)
  const notes = [text, ...(tag === null ? [] : [taggedText(app.config, project, commit, tag)])].filter((note) => note !== '')
  if (notes.length === 0) throw invalid({ commands_only: ['Could not apply tag command.'] })
  const place = await placeOf(app, project.id, author, commit, request)
  const comment = { project_id: project.id, commit_oid: commit, author_id: author.id, ...place, created_at: now() }
  return inTransaction(app.db, async (tx) => {
    const [row, ...others] = notes.map((note) => ({ ...comment, note }))
    const written = await insertComment(tx, row as NonNullable<typeof row>)
    for (const other of others) await insertComment(tx, other)
    const { id, project_id, author_id, created_at } = written
    await publish(tx, { type: 'commit_commented', project_id, author_id, comment_id: id, at: created_at })
    return { ...written, author }
  })
}

/** Creates the tag that the last `/tag` asks for: its name; null where there is none, or none that can be. */
async function tagCommit(app: App, pusher: Pusher, ref: string, commands: Command[]): Promise<string | null> {
  const asked = commands.findLast(({ name }) => name === 'tag')
  const [, tag_name, message = ''] = /^(\S+)(?: +(.*))?$/.exec(asked?.argument ?? '') ?? []
  if (tag_name === undefined) return null
  try {
    await createTag(app, pusher, { tag_name, ref, message })
    return tag_name
  } catch (error) {
    // As every quick action, it is refused without a failure of what it stands in.
    if (error instanceof Failure && ['method_not_allowed', 'forbidden', 'not_found'].includes(error.code)) return null
    throw error
  }
}

function taggedText(config: Config, project: LocatedProject, commit: string, tag: string): string {
  return `tagged commit ${commit} to [\`${tag}\`](${projectUrl(config, project)}/tags/${encodeURI(tag)})`
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
