/** SQL for suggestions. */
import type { Db, Tx } from '../../../db/database.ts'
import type { Note, Suggestion } from '../../../db/tables.ts'
import type { NewSuggestion } from './suggestions.service.ts'

/** Replaces the suggestions of a note. */
export async function replaceSuggestions(tx: Tx, note_id: number, suggestions: NewSuggestion[]): Promise<void> {
  await tx.deleteFrom('suggestions').where('note_id', '=', note_id).execute()
  await insertSuggestions(tx, note_id, suggestions)
}

export async function insertSuggestions(tx: Tx, note_id: number, suggestions: NewSuggestion[]): Promise<void> {
  if (suggestions.length === 0) return
  const rows = suggestions.map((suggestion, position) => ({ ...suggestion, note_id, position }))
  await tx.insertInto('suggestions').values(rows).execute()
}

/** The suggestions of each note, in order. */
export async function suggestionsOf(db: Db, noteIds: number[]): Promise<Map<number, Suggestion[]>> {
  if (noteIds.length === 0) return new Map()
  const found = await db
    .selectFrom('suggestions')
    .selectAll()
    .where('note_id', 'in', noteIds)
    .orderBy('note_id')
    .orderBy('position')
    .execute()
  const groups = new Map<number, Suggestion[]>(noteIds.map((id) => [id, []]))
  for (const suggestion of found) groups.get(suggestion.note_id)?.push(suggestion)
  return groups
}

/** With their notes. */
export async function suggestionsByIds(db: Db, ids: number[]): Promise<Array<{ suggestion: Suggestion; note: Note }>> {
  const suggestions = await db.selectFrom('suggestions').selectAll().where('id', 'in', ids).orderBy('id').execute()
  const noteIds = [...new Set(suggestions.map(({ note_id }) => note_id)), 0]
  const notes = await db.selectFrom('notes').selectAll().where('id', 'in', noteIds).execute()
  const byId = new Map(notes.map((note) => [note.id, note]))
  return suggestions.flatMap((suggestion) => {
    const note = byId.get(suggestion.note_id)
    return note ? [{ suggestion, note }] : []
  })
}

export async function markApplied(tx: Db, ids: number[], commit_oid: string): Promise<void> {
  await tx.updateTable('suggestions').set({ applied: true, commit_oid }).where('id', 'in', ids).execute()
}
