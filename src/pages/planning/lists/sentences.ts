/** Sentences that lists of issues and of merge requests have in common. */

export const sentences = {
  filterHint: 'Names with commas between them; None or Any.',
  nothingToChange: 'Choose what to change.',
  assigneeHint: 'A username; None removes who is assigned.',
} as const
