/** Whether a user wants mail about something, according to the setting that applies. */
import { allSwitches, type NotificationSwitch, type Setting } from '../../spaces/notification-settings/notification-settings.ts'

/** Why a user is a potential recipient: they take part, are mentioned or assigned now, watch the project, or have subscribed. */
export type Tie = 'participating' | 'mention' | 'watch' | 'subscription'

export interface Question {
  tie: Tie
  setting: Setting
  /** The switch for level `custom`. */
  about: NotificationSwitch | null
  hasUnsubscribed: boolean
}

/** Events that would be too much even for level `watch`. */
const notForWatchers: readonly (NotificationSwitch | null)[] = ['push_to_merge_request', 'issue_due', 'success_pipeline']
const notForParticipants: readonly (NotificationSwitch | null)[] = ['success_pipeline']

export function isWanted({ tie, setting, about, hasUnsubscribed }: Question): boolean {
  // Explicit subscribers are notified regardless of their level.
  if (tie === 'subscription') return !hasUnsubscribed
  // Users who have unsubscribed are still notified of mentions.
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
