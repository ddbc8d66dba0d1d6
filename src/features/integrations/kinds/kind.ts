/** A kind of integration: its fields, the events it handles, and the requests for each event. */

export interface Field {
  /** The name that clients send. */
  name: string
  title: string
  type: 'text' | 'textarea' | 'checkbox' | 'number' | 'select'
  required?: boolean
  /** Never returned. */
  secret?: boolean
  /** HTTP or HTTPS: checked when it is entered, and before each request. */
  isUrl?: boolean
  placeholder?: string
  help?: string
  choices?: Array<[value: string, title: string]>
  /** The value if it was never set. */
  default?: string | boolean
}

export const eventFlags = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'tag_push_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'job_events',
] as const

/** `commit_events`: pushes, for integrations that only read their commits. */
export type EventFlag = (typeof eventFlags)[number] | 'commit_events'

export type Value = string | number | boolean
export type Settings = Record<string, Value | undefined>

export interface Kind {
  /** The name in paths. */
  slug: string
  title: string
  description: string
  /** A link or a few instructions, for the form. */
  help?: string
  group: 'chat' | 'ci' | 'tracker' | 'other'
  fields: Field[]
  events: readonly EventFlag[]
  /** Absent if it doesn't act on events. */
  act?: Act
  /** For a CI server: how to request the build of a commit. */
  build?: Build
}

export interface Build {
  ask: (settings: Settings, commit: BuiltCommit) => HttpCall
  /** Null if the answer has no result yet, and the request must be repeated. */
  read: (reply: Reply, settings: Settings) => { status: string; page?: string } | null
  /** The page of the build, if the answer contains none. */
  page: (settings: Settings, commit: BuiltCommit) => string
}

export interface BuiltCommit {
  sha: string
  /** A branch. */
  ref: string
  /** Full path of the project. */
  path: string
}

/** The requests for an event, one after another; none if this kind doesn't handle it. */
export type Act = (payload: Payload, settings: Settings, context: Context) => Steps
export type Steps = Generator<Call, void, Reply>

export interface Context {
  /** Identifies the delivery; retries have the same one. */
  uuid: string
  /** The name of this instance. */
  sender: string
}

export type Call = HttpCall | SocketCall | MailCall | DiffCall

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
  /** Whether to verify the certificate. */
  verifies?: boolean
}

/** Lines for a TCP port, which gives no answer. */
export interface SocketCall {
  host: string
  port: number
  lines: string[]
}

/** One message, sent separately to each of these. */
export interface MailCall {
  recipients: string[]
  /** The display name of the sender. */
  from_name: string
  /** The user whose address is the sender, if it is in the domain of this server; null for the server's address. */
  from_user_id: number | null
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/** The difference between two commits of the project, as the body of the reply. */
export interface DiffCall {
  project_id: number
  from: string
  to: string
}

export interface Reply {
  status: number
  body: string
}

interface Person {
  name?: string
  username?: string
  avatar_url?: string | null
}

export interface PushedCommit {
  id: string
  message: string
  url: string
  author: { name: string; email: string }
  added?: string[]
  modified?: string[]
  removed?: string[]
}

/** The payload of a webhook, as far as it is used here. */
export interface Payload {
  object_kind: string
  event_type?: string
  ref?: string
  before?: string
  after?: string
  checkout_sha?: string | null
  user_id?: number
  user_name?: string
  user_email?: string
  user?: Person
  project: { id?: number; name: string; web_url: string; path_with_namespace: string; default_branch?: string | null; namespace?: string }
  commits?: PushedCommit[]
  total_commits_count?: number
  object_attributes?: {
    id?: number
    iid?: number
    title?: string
    description?: string | null
    url?: string
    state?: string
    action?: string
    note?: string
    noteable_type?: string
    status?: string
    ref?: string
    tag?: boolean
    sha?: string
    duration?: number | null
    message?: string
    last_commit?: { id?: string } | null
    target_branch?: string
    source_branch?: string
  }
  issue?: { iid: number; title: string }
  merge_request?: { iid: number; title: string } | null
  commit?: { id: string; message?: string; title?: string; url?: string } | null
  snippet?: { id: number; title: string }
  builds?: Array<{ id: number; name: string; stage: string; status: string }>
}
