/** Messages that lists of issues and merge requests have in common. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  filterHint: 'Names with commas between them; None or Any.',
  newLabels: (titles: readonly string[]) =>
    t`have no label yet: ${titles.map((title) => `“${title}”`).join(', ')}. Choose one that exists, or tick the box to create it.`,
  nothingToChange: 'Choose what to change.',
  assigneeHint: 'A username; None removes who is assigned.',
} as const)
