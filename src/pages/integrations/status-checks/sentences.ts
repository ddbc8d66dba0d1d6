/** Sentences of the settings of status checks. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  what: 'Another system is told of each change of a merge request, and answers by the API whether it passes.',
  none: 'Nobody is asked yet.',
  mustPass: 'Merge only what all of them let pass',
  mustPassHint: 'The merge queue asks, too.',
  url: 'Gets the payload of a webhook by POST, with the check in external_approval_rule.',
  secret: 'Signs what is sent, as X-Gitlab-Signature.',
  secretKept: 'Leave it empty to keep it. Another host gets it only if you enter it again.',
  removal: 'Its answers go with it.',
  added: (name: string) => t`${name} is asked about merge requests from now on.`,
  changed: (name: string) => t`${name} is changed.`,
  removed: (name: string) => t`${name} is no longer asked.`,
  saved: 'Saved.',
} as const)
