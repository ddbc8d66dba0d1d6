/** Webhooks and their deliveries. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** The events that trigger a hook, by the names that clients use. */
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
  /** The integration that the row receives events for, if it is not a webhook. */
  integration_id: number | null
  /** Whether what it calls answers if merge requests pass; it is not a webhook then. */
  is_status_check: Generated<boolean>
  name: string | null
  description: string | null
  /** Sealed, since it may contain credentials. */
  url: string
  /** Sealed; sent as `X-Gitlab-Token`, or the secret that signs what a status check is sent. */
  token: string | null
  /** Sealed; used to sign each request. */
  signing_token: string | null
  /** Headers of each request by name, as sealed JSON; null for none. */
  custom_headers: string | null
  /** The values of `{name}` in the URL, as sealed JSON; null for none. */
  url_variables: string | null
  /** The name of a branch or a wildcard; null for all branches. */
  push_events_branch_filter: string | null
  enable_ssl_verification: Generated<boolean>
  /** Consecutive failed deliveries since the last success. */
  failures: Generated<number>
  /** Nothing is sent before this instant, because deliveries failed repeatedly. */
  rests_until: Instant | null
  last_error: string | null
  /** The process that sends to it, so that deliveries are in order; and until when, in case it dies. */
  sender: string | null
  sending_until: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface HookPayloadTable {
  id: Generated<number>
  /** As `X-Gitlab-Event` names it: `Push Hook`. */
  event: string
  /** The JSON to send; null until it is built from the facts. */
  body: string | null
  /** The input of a payload that needs git to be built, as JSON. */
  facts: string | null
  /** How often building it failed, and when that is retried. */
  failures: Generated<number>
  retry_at: Instant | null
  created_at: Instant
}

/** One payload for one hook. */
export interface HookDeliveryTable {
  id: Generated<number>
  hook_id: number
  payload_id: number
  /** The id that all attempts share: `X-Gitstead-Delivery`, `Idempotency-Key`. */
  uuid: string
  event: string
  /** `failed`: given up. */
  state: Generated<'waiting' | 'delivered' | 'failed'>
  attempts: Generated<number>
  /** Not sent before this instant. */
  due_at: Instant
  response_status: number | null
  /** The headers of the response to the last attempt, as JSON. */
  response_headers: string | null
  /** The beginning of the response body. */
  response_body: string | null
  duration_ms: number | null
  /** Why the last attempt failed, if there was no response. */
  error: string | null
  created_at: Instant
  attempted_at: Instant | null
}

/** Deliveries of a webhook by blocks of ids, counted by triggers. On PostgreSQL a block may have several rows, whose sum it is. */
export interface HookDeliveryCountTable {
  hook_id: number
  block: number
  number: number
}

export type Hook = Selectable<HookTable>
export type HookDelivery = Selectable<HookDeliveryTable>
