/** Positions and suggestions as JSON. */
import type { MergeRequest, Note, Suggestion } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { DiffPosition, SuggestionInNote } from './diff-notes.schema.ts'
import { positionOf } from './positions.ts'

export function presentPosition(text: string): Presented<typeof DiffPosition> {
  const position = positionOf(text)
  const [line, point] = [position.position_type === 'text' ? position : null, position.position_type === 'image' ? position : null]
  return {
    base_sha: position.base_sha,
    start_sha: position.start_sha,
    head_sha: position.head_sha,
    old_path: position.old_path,
    new_path: position.new_path,
    position_type: position.position_type,
    old_line: line ? line.old_line : undefined,
    new_line: line ? line.new_line : undefined,
    line_range: line ? line.line_range : undefined,
    width: point?.width,
    height: point?.height,
    x: point?.x,
    y: point?.y,
  }
}

/** Whether it can be applied to the present diff: the line is in the newest version, and the suggestion changes it. */
export function isApplicable(
  { applied, from_content, to_content }: Suggestion,
  { position, outdated_by }: Note,
  { state, head_oid }: Pick<MergeRequest, 'state' | 'head_oid'>,
): boolean {
  if (applied || state !== 'opened' || position === null || outdated_by !== null || from_content === to_content) return false
  const at = positionOf(position)
  return at.position_type === 'text' && at.new_line !== null && at.head_sha === head_oid
}

/** The lines it replaces, counted from 1, at the present position of its note. */
export function linesOfSuggestion({ lines_above, lines_below }: Suggestion, { position }: Note): { from_line: number; to_line: number } {
  const at = position === null ? null : positionOf(position)
  const line = at?.position_type === 'text' ? (at.new_line ?? 0) : 0
  return { from_line: Math.max(1, line - lines_above), to_line: line + lines_below }
}

export function presentSuggestion(
  suggestion: Suggestion,
  note: Note,
  merge_request: Pick<MergeRequest, 'state' | 'head_oid'>,
): Presented<typeof SuggestionInNote> {
  const applicable = isApplicable(suggestion, note, merge_request)
  const { from_line, to_line } = linesOfSuggestion(suggestion, note)
  return {
    id: suggestion.id,
    from_line,
    to_line,
    appliable: applicable,
    applicable,
    applied: suggestion.applied,
    from_content: suggestion.from_content,
    to_content: suggestion.to_content,
  }
}
