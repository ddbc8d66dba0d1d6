/** The labels of notification settings. */

import type { NotificationLevel } from '../../db/tables.ts'
import type { NotificationSwitch } from '../../features/spaces/notification-settings/notification-settings.ts'
import { translated } from '../../html/sentences.ts'
import type { Choice } from './forms.ts'

export const levelNames: Record<NotificationLevel, string> = translated({
  global: 'As everywhere',
  participating: 'What I take part in',
  watch: 'Everything',
  mention: 'Mentions of me',
  disabled: 'Nothing',
  custom: 'What I choose',
})

/** Choices of the global setting, which has nothing above it to refer to. */
export const levelChoices = (): Choice[] =>
  (['participating', 'watch', 'mention', 'custom', 'disabled'] as const).map((level) => [level, levelNames[level]])

export const switchNames: Record<NotificationSwitch, string> = translated({
  new_note: 'New comments',
  new_issue: 'New issues',
  reopen_issue: 'Reopened issues',
  close_issue: 'Closed issues',
  reassign_issue: 'Issues assigned to somebody else',
  issue_due: 'Issues due the next day',
  new_merge_request: 'New merge requests',
  push_to_merge_request: 'Pushes to merge requests',
  reopen_merge_request: 'Reopened merge requests',
  close_merge_request: 'Closed merge requests',
  reassign_merge_request: 'Merge requests assigned to somebody else',
  merge_merge_request: 'Merged merge requests',
  failed_pipeline: 'Failed pipelines of mine',
  success_pipeline: 'Successful pipelines of mine',
})
