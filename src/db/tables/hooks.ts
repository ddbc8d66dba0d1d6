/** Webhooks, and what is delivered to them. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** The kinds of events a hook is called for, as clients name them. */
export type HookFlag =
  | 'push_events'
  | 'tag_push_events'
  | 'issues_events'
  | 'confidential_issues_events'
  | 'note_events'
  | 'confidential_note_events'
  | 'merge_requests_events'
  | 'job_events'
  | 'pipeline_events'
  | 'wiki_page_events'
  | 'deployment_events'
  | 'releases_events'
  | 'member_events'
  | 'subgroup_events'
  | 'repository_update_events'

/** Belongs to a project, to a group, or with neither to the instance. */
export interface HookTable extends Record<HookFlag, Generated<boolean>> {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  /** The integration that the row receives events for, if it is no webhook. */
  integration_id: number | null
  name: string | null
  description: string | null
  /** Sealed, for it may hold credentials. */
  url: string
  /** Sealed; sent as `X-Gitlab-Token`. */
  token: string | null
  /** Sealed; signs each request. */
  signing_token: string | null
  /** Headers of each request, as sealed JSON by name; null for none. */
  custom_headers: string | null
  /** What `{name}` in the URL stands for, in the same way. */
  url_variables: string | null
  /** A branch or a wildcard; null for all. */
  push_events_branch_filter: string | null
  enable_ssl_verification: Generated<boolean>
  /** Deliveries in a row that failed, since the last that succeeded. */
  failures: Generated<number>
  /** Until then nothing is sent, for it failed again and again. */
  rests_until: Instant | null
  last_error: string | null
  /** The process that sends to it now, so that one alone does, in order; until when, should it die. */
  sender: string | null
  sending_until: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface HookPayloadTable {
  id: Generated<number>
  /** As `X-Gitlab-Event` names it: `Push Hook`. */
  event: string
  /** JSON, as it is sent; null until it is made of the facts. */
  body: string | null
  /** The input of a payload that takes git to build, as JSON. */
  facts: string | null
  /** How often it could not be made of them, and when that is tried again. */
  failures: Generated<number>
  retry_at: Instant | null
  created_at: Instant
}

/** One payload for one hook. */
export interface HookDeliveryTable {
  id: Generated<number>
  hook_id: number
  payload_id: number
  /** The id that each attempt has: `X-Gitstead-Delivery`, `Idempotency-Key`. */
  uuid: string
  event: string
  /** `failed`: given up. */
  state: Generated<'waiting' | 'delivered' | 'failed'>
  attempts: Generated<number>
  /** Not sent before. */
  due_at: Instant
  response_status: number | null
  /** The headers of the response to the last attempt, as JSON. */
  response_headers: string | null
  /** Its beginning. */
  response_body: string | null
  duration_ms: number | null
  /** Why the last attempt failed, where there was no answer. */
  error: string | null
  created_at: Instant
  attempted_at: Instant | null
}

export type Hook = Selectable<HookTable>
export type HookDelivery = Selectable<HookDeliveryTable>
