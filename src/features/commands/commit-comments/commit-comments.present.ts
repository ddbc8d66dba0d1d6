/** Notes on commits in the older format of comments. */
import type { Config } from '../../../config.ts'
import type { Note } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief, type UserInBrief } from '../../people/users/users.ts'
import { positionOf } from '../../review/diff-notes/diff-notes.ts'
import type { CommitComment } from './commit-comments.schema.ts'

interface Place {
  path: string | null
  line: number | null
  line_type: 'new' | 'old' | null
}

const nowhere: Place = { path: null, line: null, line_type: null }

/** The line in the format of comments: its number after the change, unless the change removes it. */
export function placeOfComment({ position: text }: Pick<Note, 'position'>): Place {
  if (text === null) return nowhere
  const position = positionOf(text)
  if (position.position_type !== 'text') return { path: position.new_path, line: null, line_type: null }
  const { new_path: path, old_line, new_line } = position
  return new_line === null ? { path, line: old_line, line_type: 'old' } : { path, line: new_line, line_type: 'new' }
}

export function presentComment(config: Config, note: Note, author: UserInBrief): Presented<typeof CommitComment> {
  const { path, line, line_type } = placeOfComment(note)
  return { note: note.body, path, line, line_type, author: presentUserBrief(config, author), created_at: note.created_at }
}
