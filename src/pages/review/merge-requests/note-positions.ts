/** The positions of notes in the diff of a merge request, in words and as links to their lines. */

import { commitAddress } from '../../../addresses/repository.ts'
import type { Note } from '../../../db/tables.ts'
import { type Position, positionOf, type TextPosition } from '../../../features/review/diff-notes/diff-notes.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { shortId } from '../../repository/history/commits.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'

/** In words: `src/main.c, line 12`. */
export function positionWords(position: Position): string {
  const path = position.new_path || position.old_path
  return position.position_type === 'text' ? `${path}, ${lineWords(position)}` : path
}

/** `lines 12 to 15`, `line 12 as it was`. */
export function lineWords(position: TextPosition): string {
  const { from, to } = linesOf(position)
  const isOld = position.new_line === null
  if (from < to) return isOld ? t`lines ${from} to ${to} as they were` : t`lines ${from} to ${to}`
  return isOld ? t`line ${to} as it was` : t`line ${to}`
}

/** The first and the last line of a comment, on the side of the last. */
export function linesOf({ old_line, new_line, line_range }: TextPosition): { from: number; to: number } {
  const to = new_line ?? old_line ?? 0
  const first = (new_line === null ? line_range?.start.old_line : line_range?.start.new_line) ?? to
  return { from: Math.min(first, to), to }
}

/** The link above a discussion to its line; null if it isn't on a diff. */
export function positionLink(
  { project, merge_request }: MergeRequestSeen,
  { position, discussion_id, commit_oid, outdated_by }: Note,
): Html | null {
  if (position === null) return null
  const words = isolated(positionWords(positionOf(position)))
  const link =
    commit_oid === null
      ? html`<a href="${mergeRequestAddress(project, merge_request.iid)}/diffs/discussions/${discussion_id}">${words}</a>`
      : html`${words} in <a href="${commitAddress(project, commit_oid)}"><code>${shortId(commit_oid)}</code></a>`
  return html`
    <p class="line-place">
      ${icon('file')}
      ${link}${outdated_by !== null && html` <span class="tag" title="${sentences.outdated}">outdated</span>`}
    </p>
  `
}
