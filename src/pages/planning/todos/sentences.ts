/** Sentences of the page of to-do items. */

import type { TodoAction } from '../../../db/tables.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  none: 'Nothing to do: you are assigned to nothing new, and nobody has asked you anything.',
  noneDone: 'No to-do item is done yet.',
  noneFound: 'No to-do item matches.',
  done: (number: number) => t`${count(number, 'to-do item')} marked as done.`,
  restored: (number: number) => t`${count(number, 'to-do item')} put back.`,
  nothing: 'There was nothing to mark as done.',
} as const)

/** The action, before the name of its target. */
export const actions: Readonly<Record<TodoAction, string>> = translated({
  assigned: 'assigned you to',
  review_requested: 'asks you to review',
  mentioned: 'mentioned you on',
  directly_addressed: 'spoke to you on',
  marked: 'added a to-do item for',
  build_failed: 'has a failed pipeline in',
  approval_required: 'asks you to approve',
  unmergeable: 'can’t merge',
  merge_train_removed: 'had to leave the merge queue with',
})
