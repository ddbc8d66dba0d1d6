/** Sentences on the page of the search. */
import { translated } from '../../html/sentences.ts'

export const sentences = translated({
  hint: 'Several words must all occur; words in quotes stand together. #12 is an issue, !12 a merge request.',
  codeHint: 'Files are found by a text in them or in their path, ignoring case. filename:, path: and extension: narrow the search.',
  regexHint:
    "An expression in RE2's syntax, matched against each line, ignoring case. It must have 3 characters in a row that are always there.",
  nothing: 'Nothing matches.',
  noCode: 'No file that you may read has this text.',
  incomplete: 'Only the first results are shown. Refine your search.',
  noWikiPage: 'No page of the wiki has this text.',
  noSnippet: 'No snippet that you may read matches.',
  noUsers: 'No user matches.',
  signIn: 'Sign in to find users.',
  tooShort: 'Search for at least 3 characters.',
  regexInBranch: 'Regular expressions are searched for in the default branch only.',
  indexOff: 'Code can be searched within a project. The index over all projects is turned off.',
  regexOff: 'Regular expressions need the index of code, which is turned off.',
  noBranch: 'This repository is empty, or you can’t read its code.',
})
