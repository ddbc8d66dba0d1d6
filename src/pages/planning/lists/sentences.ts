/** Messages that lists of issues and merge requests have in common. */

export const sentences = {
  filterHint: 'Names with commas between them; None or Any.',
  newLabels: (titles: readonly string[]) =>
    `have no label yet: ${titles.map((title) => `“${title}”`).join(', ')}. Choose one that exists, or tick the box to create it.`,
  nothingToChange: 'Choose what to change.',
  assigneeHint: 'A username; None removes who is assigned.',
} as const
