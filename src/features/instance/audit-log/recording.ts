/** Writes an entry of the audit log, in the transaction of what it describes: who, as whom, with which credential, from where, on what. */
import type { Insertable } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { AuditEntityType, AuditEventTable } from '../../../db/tables.ts'
import { currentOrigin } from '../../../domain-events/origin.ts'
import type { CredentialHolder } from '../../../domain-events/security-events.ts'
import { insertAuditEvents, pathsOf, usernamesOf } from './audit-log.queries.ts'

export interface Target {
  type: string
  id: number | null
  /** Its name at that time. */
  name: string
}

export interface Line {
  event_name: string
  /** A sentence without the full stop. */
  message: string
  /** The changed user, project or group, or the instance. */
  of: CredentialHolder
  /** Its name, if that is already known. */
  path?: string
  /** The changed part; by default all of it. */
  target?: Target
  details?: Readonly<Record<string, unknown>>
  /** The author, if no request has one. */
  author?: { id: number; username: string } | null
  /** The IP address, if no request has one. */
  address?: string | null
}

interface Entity {
  type: AuditEntityType
  id: number | null
  path: string
}

export function record(tx: Tx, line: Line): Promise<void> {
  return recordAll(tx, [line])
}

/** As `record`, with a fixed number of statements for any number of entries. */
export async function recordAll(tx: Tx, lines: Line[]): Promise<void> {
  const entities = await entitiesOf(tx, lines)
  await insertAuditEvents(
    tx,
    lines.map((line, index) => rowOf(line, entities[index] as Entity)),
  )
}

function rowOf({ event_name, message, target, details, author, address }: Line, entity: Entity): Insertable<AuditEventTable> {
  const origin = currentOrigin()
  const who = origin?.author ?? author ?? null
  const { acts_as = null, credential = null } = origin ?? {}
  const ip_address = origin?.address ?? address ?? null
  return {
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
  }
}

async function entitiesOf(tx: Tx, lines: Line[]): Promise<Entity[]> {
  const unnamed = lines.filter(({ path }) => path === undefined).map(({ of }) => of)
  const idsOf = (column: string) => unnamed.flatMap((of) => (of === 'instance' ? [] : ((of as Record<string, number>)[column] ?? [])))
  const names = {
    user_id: await usernamesOf(tx, idsOf('user_id')),
    project_id: await pathsOf(tx, 'project_id', idsOf('project_id')),
    namespace_id: await pathsOf(tx, 'namespace_id', idsOf('namespace_id')),
  }
  return lines.map(({ of, path }) => {
    if (of === 'instance') return { type: 'Instance', id: null, path: 'instance' }
    if ('user_id' in of) return { type: 'User', id: of.user_id, path: path ?? (names.user_id.get(of.user_id) as string) }
    if ('project_id' in of) return { type: 'Project', id: of.project_id, path: path ?? (names.project_id.get(of.project_id) as string) }
    return { type: 'Group', id: of.namespace_id, path: path ?? (names.namespace_id.get(of.namespace_id) as string) }
  })
}
