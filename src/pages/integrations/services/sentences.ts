/** Sentences of the pages of integrations. */

import type { EventFlag } from '../../../features/integrations/kinds/kinds.ts'
import { t, translated } from '../../../html/sentences.ts'
import { flagLabels } from '../hooks/sentences.ts'

export const purpose = translated({
  project:
    'An integration connects this project with another tool: a chat hears of pushes, a CI server builds them, ' +
    'issues are tracked elsewhere.',
  instance:
    'A template sets up an integration in all projects that have none of its kind, and in new ones. Projects change theirs as they like.',
} as const)

export const groups = translated({ chat: 'Chat', ci: 'Builds', tracker: 'Issue trackers', other: 'Others' } as const)

export const saved = () => t`Integration saved`
export const removed = () => t`The integration was removed, with its settings.`
export const tested = (succeeded: boolean, message: string) => `${succeeded ? t`The test went well` : t`The test failed`}: ${message}.`
export const removalWarning = () => t`Its settings, its secrets and its log go with it.`
export const secretHint = () => t`It is kept encrypted and not shown again; leave it empty to keep it. With another URL it is needed again.`
export const channelsByEvent = () => t`Channels by event`
export const activeHint = () => t`Settings of one that is off are kept.`
export const noDeliveries = () => t`It has heard of nothing yet, or not in the last 14 days.`
export const back = () => t`The integration and its log`
export const rests = () => t`It rests after errors, and what happens meanwhile waits`
export const onlyActive = () => t`Only an active integration can be tested.`

export const eventLabels: Record<EventFlag, string> = translated({ ...flagLabels, commit_events: 'Commits' })
