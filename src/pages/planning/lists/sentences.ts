/** What lists of issues and of merge requests say alike. */

export const sentences = {
  filterHint: 'Names with commas between them; None or Any.',
  nothingToChange: 'Choose what to change.',
  assigneeHint: 'A username; None removes who is assigned.',
} as const
