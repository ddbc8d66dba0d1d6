/** The audit log. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export type AuditEntityType = 'User' | 'Project' | 'Group' | 'Instance'

/** Written once and never changed. Ids are those at the time of the event; what they name may be deleted. */
export interface AuditEventTable {
  id: Generated<number>
  event_name: string
  /** Null for anonymous users and for the server itself. */
  author_id: number | null
  author_name: string
  entity_type: AuditEntityType
  /** Null for the instance. */
  entity_id: number | null
  /** A user name or a full path. */
  entity_path: string
  target_type: string
  target_id: number | null
  target_details: string
  /** JSON: further data of the event, never secrets. */
  details: string
  ip_address: string | null
  created_at: Instant
}

export type AuditEvent = Selectable<AuditEventTable>
