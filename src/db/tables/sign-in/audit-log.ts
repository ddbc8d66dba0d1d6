/** The audit log. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export type AuditEntityType = 'User' | 'Project' | 'Group' | 'Instance'

/** Written once, never changed. Ids are those of the moment: what they name may be gone. */
export interface AuditEventTable {
  id: Generated<number>
  event_name: string
  /** Null for strangers, and for the server itself. */
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
  /** JSON: what else belongs to the event, and never a secret. */
  details: string
  ip_address: string | null
  created_at: Instant
}

export type AuditEvent = Selectable<AuditEventTable>
