/** What a kind of integration is: its fields, the events it hears of, and the requests that follow from one. */

export interface Field {
  /** As clients send it. */
  name: string
  title: string
  type: 'text' | 'textarea' | 'checkbox' | 'number' | 'select'
  required?: boolean
  /** Never returned. */
  secret?: boolean
  /** HTTP or HTTPS: checked when it is given, and before each request. */
  isUrl?: boolean
  placeholder?: string
  help?: string
  choices?: Array<[value: string, title: string]>
  /** Of an integration that was never set. */
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

/** `commit_events`: pushes, for what reads their commits alone. */
export type EventFlag = (typeof eventFlags)[number] | 'commit_events'

export type Value = string | number | boolean
export type Settings = Record<string, Value | undefined>

export interface Kind {
  /** As paths name it. */
  slug: string
  title: string
  description: string
  /** A link or a step or two, for the form. */
  help?: string
  group: 'chat' | 'ci' | 'tracker' | 'other'
  fields: Field[]
  events: readonly EventFlag[]
  /** Absent where it acts in another way than by events. */
  act?: Act
  /** Of a CI server: how the build of a commit is asked for. */
  build?: Build
}

export interface Build {
  ask: (settings: Settings, commit: BuiltCommit) => HttpCall
  /** Null: the answer tells nothing, and is asked for again. */
  read: (reply: Reply, settings: Settings) => { status: string; page?: string } | null
  /** The page of the build, where the answer names none. */
  page: (settings: Settings, commit: BuiltCommit) => string
}

export interface BuiltCommit {
  sha: string
  /** A branch. */
  ref: string
  /** Full path of the project. */
  path: string
}

/** The requests that follow from an event, one after the other; none where it is nothing to this kind. */
export type Act = (payload: Payload, settings: Settings, context: Context) => Steps
export type Steps = Generator<Call, void, Reply>

export interface Context {
  /** The same in each attempt. */
  uuid: string
  /** How this instance is called. */
  sender: string
}

export type Call = HttpCall | SocketCall | MailCall | DiffCall

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
  /** False: any certificate will do. */
  verifies?: boolean
}

/** Lines for a TCP port, to which nothing is answered. */
export interface SocketCall {
  host: string
  port: number
  lines: string[]
}

/** One message, to each of these by itself. */
export interface MailCall {
  recipients: string[]
  /** Whose name it comes with. */
  from_name: string
  /** Whose address it comes from, too, where that is of the domain of this server; null: that of the server. */
  from_user_id: number | null
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/** What changed between two commits of the project, as the body of the reply. */
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

/** The payload of a webhook, as far as it is read here. */
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
