/** Whether a user wants mail about something, by their setting that holds there. */
import { allSwitches, type NotificationSwitch, type Setting } from '../../spaces/notification-settings/notification-settings.ts'

/** Why somebody comes into question: they take part, are named or assigned now, watch the project, or have subscribed. */
export type Tie = 'participating' | 'mention' | 'watch' | 'subscription'

export interface Question {
  tie: Tie
  setting: Setting
  /** What the level `custom` looks at. */
  about: NotificationSwitch | null
  hasUnsubscribed: boolean
}

/** What would be too much for those who want to hear everything. */
const notForWatchers: readonly (NotificationSwitch | null)[] = ['push_to_merge_request', 'issue_due', 'success_pipeline']
const notForParticipants: readonly (NotificationSwitch | null)[] = ['success_pipeline']

export function isWanted({ tie, setting, about, hasUnsubscribed }: Question): boolean {
  // Whoever has subscribed by hand hears of it, whatever their level.
  if (tie === 'subscription') return !hasUnsubscribed
  // Whoever has unsubscribed still hears when they are named.
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
