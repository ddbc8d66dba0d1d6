/** Whether a user wants a mail, by the setting that applies to them. */
import { allSwitches, type NotificationSwitch, type Setting } from '../../spaces/notification-settings/notification-settings.ts'

/** Why someone is a candidate: they participate, are named or newly assigned, watch the project, or have subscribed. */
export type Tie = 'participating' | 'mention' | 'watch' | 'subscription'

export interface Question {
  tie: Tie
  setting: Setting
  /** The switch that the level `custom` uses. */
  about: NotificationSwitch | null
  hasUnsubscribed: boolean
}

/** Too frequent for users who watch everything. */
const notForWatchers: readonly (NotificationSwitch | null)[] = ['push_to_merge_request', 'issue_due', 'success_pipeline']
const notForParticipants: readonly (NotificationSwitch | null)[] = ['success_pipeline']

export function isWanted({ tie, setting, about, hasUnsubscribed }: Question): boolean {
  // Users with an explicit subscription get it, whatever their level.
  if (tie === 'subscription') return !hasUnsubscribed
  // Users who have unsubscribed still get mail when they are mentioned.
  return isOfLevel({ tie, setting, about }) && (tie === 'mention' || !hasUnsubscribed)
}

function isOfLevel({ tie, setting, about }: Omit<Question, 'hasUnsubscribed'>): boolean {
  switch (setting.level) {
    case 'disabled':
    case 'global':
      return false
    case 'mention':
      return tie === 'mention'
    case 'participating':
      return tie !== 'watch' && !notForParticipants.includes(about)
    case 'watch':
      return tie !== 'watch' || !notForWatchers.includes(about)
    case 'custom':
      return tie !== 'watch' || (about !== null && allSwitches(setting)[about])
  }
}
