/** Comments and reactions on the snippet of a project. */
import { snippetKind } from '../../../features/snippets/snippets.ts'
import { emojiPages } from '../../planning/discussion/emoji.pages.ts'
import { notePages } from '../../planning/discussion/notes.pages.ts'
import { discussedSnippetView } from './talk.ts'

export const snippetTalkPages = [
  ...notePages(snippetKind, {
    tab: 'snippets',
    view: (seen, refusedNote) => discussedSnippetView({ ...seen, snippet: seen.noteable.row }, { refusedNote }),
    state: null,
  }),
  ...emojiPages(snippetKind),
]
