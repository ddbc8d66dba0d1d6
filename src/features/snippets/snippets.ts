/**
 * Snippets: what others may use of them.
 *
 * Contents are in a table beside the snippets: a git repository for each would be hundreds of thousands of folders without a history that the API
 * shows, and the objects store a second place to keep consistent, without a search. Comments on personal snippets don't exist, as a note belongs
 * to a project, which says who reads it.
 */
export { isFilePath, maxContent_bytes, maxFiles, maxPath_chars } from './files.ts'
export { rawSnippet } from './raw.ts'
export {
  changeableInProject,
  changeableSnippet,
  creatingInProject,
  creatingSnippets,
  type SnippetGranted,
  snippetInPath,
  snippetsOfProject,
  visibleSnippet,
} from './snippets.access.ts'
export { discussedSnippet, snippetKind } from './snippets.kind.ts'
export { type DescribedSnippet, describeSnippets, presentSnippet, presentSnippets, rawFilePath, snippetPath } from './snippets.present.ts'
export {
  type Content,
  countByVisibility,
  filesOf,
  filesOfSnippets,
  listSnippets,
  type SnippetFilter,
  snippetById,
  snippetsByIds,
} from './snippets.queries.ts'
export {
  changeSnippet,
  createSnippet,
  findSnippet,
  findSnippetIn,
  type NewSnippet,
  removeSnippet,
  type SeenSnippet,
} from './snippets.service.ts'
