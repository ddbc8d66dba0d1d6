/** Where in a diff the notes of a merge request stand, in words and as links to their lines. */
import type { Note } from '../../../db/tables.ts'
import { type Position, positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { type Html, html } from '../../frame/html.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { commitAddress, shortId } from '../../repository/history/commits.ts'
import { requestAddress } from './parts.ts'
import type { RequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'

/** In words: `src/main.c, line 12`. */
export function placeWords(place: Position): string {
  const path = place.new_path || place.old_path
  if (place.position_type !== 'text') return path
  return `${path}, line ${place.new_line ?? `${place.old_line} as it was`}`
}

/** The link above a discussion to its line; null for one that is on no diff. */
export function placeLink(
  { project, merge_request }: RequestSeen,
  { position, discussion_id, commit_oid, outdated_by }: Note,
): Html | null {
  if (position === null) return null
  const words = isolated(placeWords(positionOf(position)))
  const place =
    commit_oid === null
      ? html`<a href="${requestAddress(project, merge_request.iid)}/diffs/discussions/${discussion_id}">${words}</a>`
      : html`${words} in <a href="${commitAddress(project, commit_oid)}"><code>${shortId(commit_oid)}</code></a>`
  return html`<p class="line-place">${icon('file')} ${place}${outdated_by !== null && html` <span class="tag" title="${sentences.outdated}">outdated</span>`}</p>`
}
