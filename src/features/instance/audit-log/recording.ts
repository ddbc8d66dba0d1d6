/** Writes a line of the audit log, in the transaction of what it tells: who, as whom, by what, from where, on what. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { AuditEntityType } from '../../../db/tables.ts'
import { currentOrigin } from '../../../domain-events/origin.ts'
import type { CredentialHolder } from '../../../domain-events/security-events.ts'
import { insertAuditEvent, pathOf, usernameOf } from './audit-log.queries.ts'

export interface Target {
  type: string
  id: number | null
  /** Its name, as it was then. */
  name: string
}

export interface Line {
  event_name: string
  /** A sentence without its end. */
  message: string
  /** What was changed. */
  of: CredentialHolder
  /** Its name, where it is known already. */
  path?: string
  /** The part of it that was; all of it unless said. */
  target?: Target
  details?: Readonly<Record<string, unknown>>
  /** Who acts where no request says so. */
  author?: { id: number; username: string } | null
  /** The address where no request says so. */
  address?: string | null
}

interface Entity {
  type: AuditEntityType
  id: number | null
  path: string
}

export async function record(tx: Tx, { event_name, message, of, path, target, details, author, address }: Line): Promise<void> {
  const origin = currentOrigin()
  const entity = await entityOf(tx, of, path)
  const who = origin?.author ?? author ?? null
  const { acts_as = null, credential = null } = origin ?? {}
  const ip_address = origin?.address ?? address ?? null
  await insertAuditEvent(tx, {
    event_name,
    author_id: who?.id ?? null,
    author_name: who?.username ?? (ip_address === null ? '(system)' : '(unauthenticated)'),
    entity_type: entity.type,
    entity_id: entity.id,
    entity_path: entity.path,
    target_type: target?.type ?? entity.type,
    target_id: target ? target.id : entity.id,
    target_details: target?.name ?? entity.path,
    details: JSON.stringify({
      custom_message: message,
      ...details,
      ...(acts_as && { acts_as: acts_as.username }),
      ...(credential && { with: credential.kind, ...(credential.id !== null && { with_id: credential.id }) }),
    }),
    ip_address,
    created_at: now(),
  })
}

async function entityOf(tx: Tx, of: CredentialHolder, path?: string): Promise<Entity> {
  if (of === 'instance') return { type: 'Instance', id: null, path: 'instance' }
  if ('user_id' in of) return { type: 'User', id: of.user_id, path: path ?? (await usernameOf(tx, of.user_id)) }
  if ('project_id' in of) return { type: 'Project', id: of.project_id, path: await pathOf(tx, 'project_id', of.project_id) }
  return { type: 'Group', id: of.namespace_id, path: await pathOf(tx, 'namespace_id', of.namespace_id) }
}
