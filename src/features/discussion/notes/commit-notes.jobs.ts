/** Background work after an upgrade or import: gives comments on lines of commits the positions of notes. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endingWith } from '../../../git/repository/handles.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { type Place, placeOnLine, positionOf } from '../../review/diff-notes/diff-notes.ts'
import { placeDiscussion, type UnplacedNote, unplacedNotes } from './notes.queries.ts'

const batch = 100

/**
 * Idempotent. A comment on a line that the commit doesn't show becomes a discussion of the whole commit. Without a project: for all
 * projects.
 */
export const placeOnCommitsJob: Job<{ project_id?: number }> = job('notes.place_on_commits', {
  key: ({ project_id }) => `notes on commits ${project_id ?? 'of all projects'}`,
  lane: 'slow',
  async handle(app, { project_id = null }, stopping) {
    for (let last = 0; ; ) {
      const notes = await unplacedNotes(app.db, project_id, last, batch)
      for (const note of notes) {
        stopping?.throwIfAborted()
        last = note.id
        await placeDiscussion(app.db, note, await placeOf(app, note, stopping))
      }
      if (notes.length < batch) return
    }
  },
})

async function placeOf(app: App, { project_id, commit_oid, position: text }: UnplacedNote, stopping?: AbortSignal): Promise<Place | null> {
  const repo = endingWith(app.git.open(project_id), stopping)
  const position = positionOf(text)
  const line = position.position_type === 'text' ? (position.new_line ?? position.old_line) : null
  if (position.position_type !== 'text' || line === null) return null
  const named = { path: position.new_path, line, side: position.new_line === null ? ('old' as const) : ('new' as const) }
  try {
    const found = await resolveCommit(repo, commit_oid)
    return found === commit_oid ? await placeOnLine(repo, await readCommit(repo, commit_oid), named) : null
  } catch (error) {
    // For example, a tree that is too large to list.
    if (error instanceof Failure && ['invalid', 'unprocessable', 'too_large', 'not_found'].includes(error.code)) return null
    throw error
  }
}

interface Comment {
  commit_oid: string
  path: string | null
  line: number | null
  line_type: 'new' | 'old' | null
}

/** The position of a comment that only names a line, until the job completes it: it has no start commit. Null for the whole commit. */
export function unplacedOnCommit({ commit_oid, path, line, line_type }: Comment): string | null {
  if (path === null || line === null) return null
  const refs = { base_sha: null, start_sha: commit_oid, head_sha: commit_oid }
  const lines = line_type === 'old' ? { old_line: line, new_line: null } : { old_line: null, new_line: line }
  return JSON.stringify({ ...refs, old_path: path, new_path: path, position_type: 'text', ...lines, line_range: null })
}
