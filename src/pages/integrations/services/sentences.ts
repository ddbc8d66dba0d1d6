/** Sentences of the pages of integrations. */
import type { EventFlag } from '../../../features/integrations/kinds/kinds.ts'
import { flagLabels } from '../hooks/sentences.ts'

export const purpose = {
  project:
    'An integration connects this project with another tool: a chat hears of pushes, a CI server builds them, ' +
    'issues are tracked elsewhere.',
  instance:
    'A template sets up an integration in all projects that have none of its kind, and in new ones. Projects change theirs as they like.',
} as const

export const groups = { chat: 'Chat', ci: 'Builds', tracker: 'Issue trackers', other: 'Others' } as const

export const saved = 'Integration saved'
export const removed = 'The integration was removed, with its settings.'
export const tested = (succeeded: boolean, message: string) => `${succeeded ? 'The test went well' : 'The test failed'}: ${message}.`
export const removalWarning = 'Its settings, its secrets and its log go with it.'
export const secretHint = 'It is kept encrypted and not shown again; leave it empty to keep it. With another URL it is needed again.'
export const channelsByEvent = 'Channels by event'
export const activeHint = 'Settings of one that is off are kept.'
export const noDeliveries = 'It has heard of nothing yet, or not in the last 14 days.'
export const back = 'The integration and its log'
export const rests = 'It rests after errors, and what happens meanwhile waits'
export const onlyActive = 'Only an active integration can be tested.'

export const eventLabels: Record<EventFlag, string> = { ...flagLabels, commit_events: 'Commits' }
