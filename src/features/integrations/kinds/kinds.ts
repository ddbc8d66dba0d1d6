/** The table of all kinds of integrations. */
import { bamboo, buildkite, droneCi, mockCi, teamcity } from './builds.ts'
import { campfire } from './campfire.ts'
import { asana, assembla, pivotaltracker } from './commit-trackers.ts'
import { discord } from './discord.ts'
import { flowdock } from './flowdock.ts'
import { hangoutsChat } from './hangouts-chat.ts'
import { hipchat } from './hipchat.ts'
import { irker } from './irker.ts'
import { jira } from './jira.ts'
import type { Kind } from './kind.ts'
import { emailsOnPush, pipelinesEmail } from './mails.ts'
import { matrix } from './matrix.ts'
import { microsoftTeams } from './microsoft-teams.ts'
import { externalWiki, kubernetes, mattermostSlashCommands, prometheus, slackSlashCommands } from './others.ts'
import { packagist } from './packagist.ts'
import { plainJson } from './plain-json.ts'
import { pushover } from './pushover.ts'
import { mattermost, slack } from './slack.ts'
import { bugzilla, customIssueTracker, redmine } from './trackers.ts'

export {
  type Act,
  type BuiltCommit,
  type Call,
  type Context,
  type DiffCall,
  type EventFlag,
  eventFlags,
  type Field,
  type HttpCall,
  type Kind,
  type MailCall,
  type Payload,
  type Reply,
  type Settings,
  type SocketCall,
  type Value,
} from './kind.ts'
export { slackMarkup } from './markup.ts'
export type { Rich } from './message.ts'
export { isSuccess, plural, textOf, urlAt } from './requests.ts'

export const kinds: readonly Kind[] = [
  asana,
  assembla,
  bamboo,
  bugzilla,
  buildkite,
  campfire,
  customIssueTracker,
  discord,
  droneCi,
  emailsOnPush,
  externalWiki,
  flowdock,
  hangoutsChat,
  hipchat,
  irker,
  jira,
  kubernetes,
  mattermost,
  mattermostSlashCommands,
  matrix,
  microsoftTeams,
  mockCi,
  packagist,
  pipelinesEmail,
  pivotaltracker,
  plainJson,
  prometheus,
  pushover,
  redmine,
  slack,
  slackSlashCommands,
  teamcity,
]

const bySlug = new Map(kinds.map((kind) => [plain(kind.slug), kind]))

/** Clients write both `hangouts-chat` and `hangouts_chat`. */
export function kindOf(slug: string): Kind | null {
  return bySlug.get(plain(slug)) ?? null
}

function plain(slug: string): string {
  return slug.replaceAll('_', '-')
}

/** Issue trackers that references in texts link to: a project can have one. */
export const trackerSlugs: readonly string[] = ['bugzilla', 'custom-issue-tracker', 'jira', 'redmine']
