/** Determines what the suggestions of a note replace. */
import type { Suggestion } from '../../../db/tables.ts'
import { readBlob, streamedFrom_bytes } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import { textIn } from '../../../git/objects/text.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { positionOf } from './positions.ts'
import { linesBetween, suggestionsIn } from './suggestions.ts'

export type NewSuggestion = Pick<Suggestion, 'from_content' | 'to_content' | 'lines_above' | 'lines_below'>

/**
 * The suggestions in the text of a note at this position: none if it isn't on a line of the new side, or the file isn't text. Reads only
 * the file.
 */
export async function suggestionsAt(repo: Repo, position: string, body: string): Promise<NewSuggestion[]> {
  const changes = suggestionsIn(body)
  const at = positionOf(position)
  if (changes.length === 0 || at.position_type !== 'text' || at.new_line === null) return []
  const line = at.new_line
  const text = await textAt(repo, at.head_sha, at.new_path)
  if (text === null) return []
  return changes.map(({ lines_above, lines_below, to_content }) => {
    const above = Math.min(lines_above, line - 1)
    return { from_content: linesBetween(text, line - above, line + lines_below), to_content, lines_above: above, lines_below }
  })
}

/** The text of a file in a commit; null if there is none, it is too large, or it isn't text. */
export async function textAt(repo: Repo, commit: string, path: string): Promise<string | null> {
  const entry = await findEntry(repo, (await readCommit(repo, commit)).tree, path)
  if (entry?.type !== 'blob' || entry.mode === '120000') return null
  const info = await objectInfo(repo, entry.oid)
  if (!info || info.size >= streamedFrom_bytes) return null
  const blob = await readBlob(repo, entry.oid)
  return blob && textIn(blob.data)
}
