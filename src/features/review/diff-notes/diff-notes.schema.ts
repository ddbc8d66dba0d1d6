/** Positions of notes on diffs, as sent in requests and as JSON (spec 2.7). */
import { Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { lineCodePattern } from './line-codes.ts'

const path = nullable(Type.String({ maxLength: 4096 }))
const line = nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))
const pixels = nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))
const sha = Type.String({ maxLength: 64 })
const lineCode = nullable(Type.String({ pattern: lineCodePattern }))

const lineEnd = Type.Object({
  line_code: Type.Optional(lineCode),
  type: Type.Optional(nullable(oneOf('new', 'old', 'expanded'))),
  old_line: Type.Optional(line),
  new_line: Type.Optional(line),
})

/** The place in a diff for a new note. */
export const newPosition = Type.Object(
  {
    base_sha: Type.String({ maxLength: 64, description: 'The merge base, as `diff_refs` of the merge request has it' }),
    start_sha: Type.String({ maxLength: 64, description: 'The commit of the target branch, as `diff_refs` has it' }),
    head_sha: Type.String({ maxLength: 64, description: 'The commit of the source branch, as `diff_refs` has it' }),
    position_type: oneOf('text', 'image', 'file'),
    old_path: Type.Optional(path),
    new_path: Type.Optional(path),
    old_line: Type.Optional(line),
    new_line: Type.Optional(line),
    line_range: Type.Optional(nullable(Type.Object({ start: lineEnd, end: lineEnd }))),
    width: Type.Optional(pixels),
    height: Type.Optional(pixels),
    x: Type.Optional(pixels),
    y: Type.Optional(pixels),
  },
  { description: 'A place in the diff: an added line has no `old_line`, a removed one no `new_line`, any other has both' },
)

const shownEnd = Type.Object({ line_code: nullable(Type.String()), type: nullable(Type.String()), old_line: line, new_line: line })

/** Lines for `text`, a size and a point for `image`. */
export const DiffPosition = resource('DiffPosition', {
  base_sha: nullable(sha),
  start_sha: sha,
  head_sha: sha,
  old_path: Type.String(),
  new_path: Type.String(),
  position_type: oneOf('text', 'image', 'file'),
  old_line: Type.Optional(line),
  new_line: Type.Optional(line),
  line_range: Type.Optional(nullable(Type.Object({ start: shownEnd, end: shownEnd }))),
  width: Type.Optional(pixels),
  height: Type.Optional(pixels),
  x: Type.Optional(pixels),
  y: Type.Optional(pixels),
})

/** A suggested change of lines in a note. */
export const SuggestionInNote = resource('Suggestion', {
  id: Type.Integer(),
  from_line: Type.Integer(),
  to_line: Type.Integer(),
  appliable: Type.Boolean({ description: 'An older name of `applicable`' }),
  applicable: Type.Boolean({ description: 'Whether it can be applied to the newest version' }),
  applied: Type.Boolean(),
  from_content: Type.String({ description: 'The lines when it was written' }),
  to_content: Type.String({ description: 'What replaces them' }),
})
