/** Sentences of diffs. */

import { count } from '../../../../html/phrases.ts'
import { t, translated } from '../../../../html/sentences.ts'

export const sentences = translated({
  nothing: 'Nothing differs.',
  onlySpaces: 'Only spaces have changed.',
  noLines: 'No lines have changed.',
  tooLarge: 'The changes of this file are too large to be shown here.',
  collapsed: 'The changes before this one fill the page.',
  binary: 'The file is not text.',
  folded: (lines: number) => t`This file is folded: ${count(lines, 'line')} changed.`,
  foldedLong: 'This file is folded: it has many lines.',
  largeFile: 'The content is stored with Git LFS.',
  moreListed: (left: number) => t`And ${count(left, 'more file')}.`,
})
