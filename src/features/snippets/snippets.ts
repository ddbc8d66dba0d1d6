/**
 * Snippets: what other features may use. Contents are in a separate table: a git repository for each would mean hundreds of thousands of
 * folders without a history that the API shows; the object store would be a second place to keep consistent, without search.
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
export { type DescribedSnippet, describeSnippets, presentSnippet, presentSnippets } from './snippets.present.ts'
export {
  type Content,
  countByVisibility,
  filesOf,
  filesOfSnippets,
  listSnippets,
  type SnippetFilter,
  shownSnippet,
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
