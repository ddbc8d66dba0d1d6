/** The positions of notes in the diff of a merge request, in words and as links to their lines. */
import { commitAddress } from '../../../addresses/repository.ts'
import type { Note } from '../../../db/tables.ts'
import { type Position, positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { type Html, html } from '../../../html/html.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { shortId } from '../../repository/history/commits.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'

/** In words: `src/main.c, line 12`. */
export function positionWords(position: Position): string {
  const path = position.new_path || position.old_path
  if (position.position_type !== 'text') return path
  return `${path}, line ${position.new_line ?? `${position.old_line} as it was`}`
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
