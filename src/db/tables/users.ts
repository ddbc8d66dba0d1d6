/** Users, their email addresses, their statuses, and their notification settings. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant } from './columns.ts'
import type { LdapGroupLinkTable } from './members.ts'

export type Dashboard = 'projects' | 'starred' | 'groups' | 'activity'

/**
 * Only who is active acts. `deactivated`: was not seen for long, and comes back by signing in. `blocked` and `banned`: shut out by an
 * administrator, or a directory; what a banned user wrote is hidden. `blocked_pending_approval`: has signed up, and waits for an administrator.
 */
export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'blocked_pending_approval'

export interface UserTable {
  id: Generated<number>
  username: string
  /** `username` in lower case: unique, and used for look-ups. */
  username_key: string
  name: string
  email: string
  email_key: string
  state: UserState
  password_hash: string | null
  admin: boolean
  external: boolean
  private_profile: boolean
  can_create_group: boolean
  projects_limit: number
  bio: string | null
  location: string | null
  skype: string
  linkedin: string
  twitter: string
  website_url: string
  organization: string | null
  /** A confirmed address of the user that everyone may see; empty if there is none. */
  public_email: Generated<string>
  /** Whether they want mail about their own actions. */
  notified_of_own_activity: Generated<boolean>
  /** A confirmed address that notifications are sent to; null for the primary one. */
  notification_email: Generated<string | null>
  job_title: Generated<string>
  pronouns: Generated<string>
  theme_id: number
  color_scheme_id: number
  confirmed_at: Instant | null
  /** Whether they can't sign in until they have confirmed the address. */
  confirmation_required: Generated<boolean>
  /** A new address that has not been confirmed yet. */
  unconfirmed_email: string | null
  /** From this instant on, the password can only be used to choose a new one at sign-in. */
  password_expires_at: Instant | null
  /** Whether they have an authenticator app or a passkey, so that the password alone gives no access. */
  two_factor_enabled: Generated<boolean>
  /** When they were first asked to set up a second factor because the instance requires one. */
  two_factor_asked_at: Generated<Instant | null>
  /** SHA-256 of the terms the user has accepted, in hexadecimal. */
  accepted_terms: string | null
  /** The one ghost has what deleted users have left. A bot is the user of a project or group access token. */
  kind: Generated<'human' | 'ghost' | 'bot' | 'service_account'>
  /** The key of the avatar in the objects store, and the name it was sent under. */
  avatar_key: string | null
  avatar_name: string | null
  /**
   * Lets programs read the feeds of what the user may see. Stored in the clear, since pages contain it in URLs. Only that of a human is
   * valid.
   */
  feed_token: string | null
  current_sign_in_at: Instant | null
  last_sign_in_at: Instant | null
  last_activity_on: Day | null
  /** The list that the root page shows to them. */
  dashboard: Generated<Dashboard>
  /** First day of the week in calendars: 0 is Sunday, as in JavaScript. */
  week_starts_on: Generated<number>
  /** Preferences that clients store here; the server itself ignores them. */
  view_diffs_file_by_file: Generated<boolean>
  show_whitespace_in_diffs: Generated<boolean>
  pass_user_identities_to_ci_jwt: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

/** Users for machines. One of a group or project is a member there and below alone; with neither it is one of the instance. */
export interface ServiceAccountTable {
  user_id: number
  namespace_id: number | null
  project_id: number | null
  created_at: Instant
}

/** Users report each other at most once. */
export interface AbuseReportTable {
  id: Generated<number>
  user_id: number
  reporter_id: number
  category: string
  message: string
  /** A page that shows it; may be empty. */
  url: string
  created_at: Instant
  closed_at: Instant | null
}

export interface UserFollowTable {
  follower_id: number
  followed_id: number
  created_at: Instant
}

/** Links a user to their identity at a provider of sign-ins. */
export interface IdentityTable {
  user_id: number
  provider: string
  /** The user's id at the provider: an OpenID Connect subject, or a distinguished name in lower case. */
  extern_uid: string
  /** Whether the user is blocked because the directory no longer contains them. It unblocks them when they are back. */
  blocks: Generated<boolean>
}

/** Every address of every user, including primary ones: a single key space, so that no address belongs to two users. */
export interface EmailTable {
  id: Generated<number>
  user_id: number
  email: string
  /** `email` in lower case. */
  email_key: string
  /** Whether it is the one in `users.email`. */
  is_primary: boolean
  confirmed_at: Instant | null
  created_at: Instant
}

export interface UserStatusTable {
  user_id: number
  /** Name without colons: `speech_balloon`. */
  emoji: string
  message: string
}

export type NotificationLevel = 'disabled' | 'participating' | 'watch' | 'global' | 'mention' | 'custom'

/** At most one row per user and project or group; a row with neither applies everywhere else. */
export interface NotificationSettingTable {
  id: Generated<number>
  user_id: number
  project_id: number | null
  namespace_id: number | null
  level: NotificationLevel
  /** The switches that were ever set, as JSON: `{"new_note":true}`. */
  switches: string
  updated_at: Instant
}

/** The content of a message, shared by all its recipients. */
export interface MailContentTable {
  id: Generated<number>
  /** Identifies what the message is about: `note:12`. */
  key: string
  /** The name of the user who caused it. */
  from_name: string
  subject: string
  text: string
  html: string
  /** The page that it links to. */
  url: string
  /** Secret last part of that URL, only for the recipient: sealed with the key of the instance. */
  sealed_token: string | null
  message_id: string
  in_reply_to: string | null
  /** Further headers, as JSON. */
  headers: Generated<string>
  /** A link in the mail unsubscribes the recipient from this issue or merge request. */
  issue_id: number | null
  merge_request_id: number | null
  /** The discussion that a reply continues (`reply-address.ts`); null if replies are not read. */
  thread: string | null
  created_at: Instant
}

/** A message that has arrived, so that it is handled once. */
export interface ReceivedMailTable {
  /** A digest of what identifies the message. */
  key: string
  state: 'new' | 'commented' | 'refused'
  attempts: Generated<number>
  received_at: Instant
}

/** A message to one address: sent at most once. */
export interface MailTable {
  id: Generated<number>
  content_id: number
  user_id: number
  address: string
  /** Why they get it, if not merely as a participant. */
  reason: 'mentioned' | 'assigned' | 'own_activity' | null
  /** `sending`: a process has it, or had it when it died. `failed`: given up. */
  state: Generated<'waiting' | 'sending' | 'sent' | 'failed'>
  attempts: Generated<number>
  due_at: Instant
  last_error: string | null
}

/** A text that a spam check has refused. */
export interface SpamLogTable {
  id: Generated<number>
  user_id: number
  kind: 'issue' | 'snippet'
  title: string
  /** Only its beginning, if it is long. */
  text: string
  ip_address: string
  user_agent: string
  /** Whether an administrator has told the service that it is no spam. */
  submitted_as_ham: Generated<boolean>
  created_at: Instant
}

/** Relations of users to each other, and to projects and groups. */
export interface UserRelationTables {
  abuse_reports: AbuseReportTable
  ldap_group_links: LdapGroupLinkTable
  service_accounts: ServiceAccountTable
  spam_logs: SpamLogTable
  user_follows: UserFollowTable
}

export type User = Selectable<UserTable>
export type SpamLog = Selectable<SpamLogTable>
export type AbuseReport = Selectable<AbuseReportTable>
export type Email = Selectable<EmailTable>
export type MailContent = Selectable<MailContentTable>
export type Mail = Selectable<MailTable>
export type ReceivedMail = Selectable<ReceivedMailTable>
export type NotificationSetting = Selectable<NotificationSettingTable>
