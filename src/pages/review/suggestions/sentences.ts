/** Sentences about suggestions. */

import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

export const suggestionSentences = translated({
  applied: 'The suggestion is applied, as a commit on the source branch.',
  appliedAll: (suggestions: number) => t`${count(suggestions, 'suggestion')} applied, as one commit on the source branch.`,
  selectSuggestion: 'Select, to apply several as one commit',
  noneSelected: 'Select the suggestions to apply: each has a box beside its button.',
  canBeApplied: (suggestions: number) => t`${count(suggestions, 'suggestion')} can be applied. Select some of them below.`,
  cantApplyTogether: 'These suggestions can’t be applied together: their lines have changed, or two of them change the same ones.',
  messageHint: 'Leave empty for the default.',
  wasApplied: 'This suggestion is applied.',
  cantApply: 'This suggestion can’t be applied to the file as it is now.',
} as const)
