/** Snippets of projects as a kind of noteable. */
import { readersOfSnippet } from '../../access/readers.ts'
import type { DiscussedSnippet, Snippet } from '../../db/tables.ts'
import { grantedAsNoteable, type NoteableKind } from '../noteable-kind.ts'
import { snippetInProject } from './snippets.access.ts'
import { notesOnVisibleSnippets, snippetsByIds } from './snippets.queries.ts'

export function discussedSnippet(snippet: Snippet, project_id: number): DiscussedSnippet {
  return { ...snippet, project_id, iid: null, discussion_locked: null }
}

export const snippetKind: NoteableKind<'snippet'> = {
  name: 'snippet',
  type: 'Snippet',
  mailName: 'ProjectSnippet',
  noun: 'snippet',
  label: 'a snippet',
  title: 'Snippet',
  sign: '$',
  path: 'snippets/:snippet_id',
  oldPath: null,
  pagePath: 'snippets/:snippet_id',
  table: 'snippets',
  access: grantedAsNoteable(snippetInProject(), ({ snippet, project }) => ({
    kind: 'snippet',
    row: discussedSnippet(snippet, project.id),
  })),
  nameInPath: ({ id }) => id,
  reference: ({ id }) => `$${id}`,
  titleOf: ({ title }) => title,
  async find(db, keys) {
    const found = await snippetsByIds(
      db,
      keys.map(({ id }) => id),
    )
    return found.flatMap((snippet) =>
      snippet.project_id === null ? [] : [{ kind: 'snippet' as const, row: discussedSnippet(snippet, snippet.project_id) }],
    )
  },
  readers: readersOfSnippet,
  notesVisible: notesOnVisibleSnippets,
  isIssuable: false,
  // As in the reference release.
  causesTodos: false,
  hasSingleNotes: true,
  hasInternalNotes: true,
  resolvable: false,
  hasDiff: false,
  takesSuggestions: false,
  takesQuickActions: false,
  awardsEmojiBodies: true,
}
