/** The audit log in the API, in the format of newer releases: of the instance, a group, or a project. */
import { type Static, Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { AuditEvent as AuditEventRow } from '../../../db/tables.ts'
import { badParameter, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups, type PlaceGranted } from '../../../http/declare/places.ts'
import { administrator, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Instant, oneOf, oneOfDefault, resource } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { type AuditFilter, auditEventById, listAuditEvents } from './audit-log.queries.ts'

const AuditEvent = resource('AuditEvent', {
  id: Type.Integer(),
  author_id: Type.Integer({ description: '-1 for nobody who signed in, and for the server itself' }),
  entity_id: Type.Integer({ description: '1 for the instance' }),
  entity_type: oneOf('User', 'Project', 'Group', 'Instance'),
  event_name: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown(), { description: 'With `custom_message`, a sentence about what was done' }),
  created_at: Instant,
})

const period = { created_after: Type.Optional(Instant), created_before: Type.Optional(Instant) }
const order = { order_by: oneOfDefault('id'), sort: oneOfDefault('desc', 'asc') }

type Sent = { created_after?: string | undefined; created_before?: string | undefined; sort: 'asc' | 'desc' }

/** Instants in the format of rows: times with another zone or precision would compare differently. */
function periodOf({ created_after, created_before }: Sent): Pick<AuditFilter, 'created_after' | 'created_before'> {
  const utc = (instant: string | undefined) => instant && new Date(instant).toISOString()
  return { created_after: utc(created_after), created_before: utc(created_before) }
}

async function pageOf(app: App, filter: AuditFilter, sent: Sent, page: Page) {
  const found = await listAuditEvents(app.db, { ...filter, ...periodOf(sent) }, { ...page, sort: sent.sort })
  return { ...found, rows: found.rows.map(present) }
}

const anyEvent = nested({ audit_event_id: Id }, async (_: SignedIn, { audit_event_id }, app) => ({
  event: required(await auditEventById(app.db, audit_event_id)),
}))

const eventHere = nested({ audit_event_id: Id }, async ({ place: { kind, row } }: PlaceGranted, { audit_event_id }, app) => {
  const event = required(await auditEventById(app.db, audit_event_id))
  const isHere = event.entity_id === row.id && event.entity_type === typeOf(kind)
  return { event: required(isHere ? event : null) }
})

function typeOf(kind: 'project' | 'group') {
  return kind === 'project' ? 'Project' : 'Group'
}

function required(event: AuditEventRow | null): AuditEventRow {
  if (!event) throw notFound('Audit Event')
  return event
}

const ofInstance = [
  listEndpoint('GET /audit_events', {
    summary: 'List the audit events of the instance, newest first',
    access: administrator(),
    query: {
      ...period,
      ...order,
      entity_type: Type.Optional(oneOf('User', 'Project', 'Group', 'Instance')),
      entity_id: Type.Optional(Type.Unsafe<number>({ ...Id, description: 'Requires `entity_type`' })),
    },
    item: AuditEvent,
    keyset: true,
    async handle({ app, query, page }) {
      const { entity_type, entity_id } = query
      if (entity_id !== undefined && entity_type === undefined) throw badParameter('entity_type is missing')
      return pageOf(app, { entity_type, entity_id }, query, page)
    },
  }),
  endpoint('GET /audit_events/:audit_event_id', {
    summary: 'Get an audit event',
    access: within(administrator(), anyEvent),
    reply: AuditEvent,
    handle: ({ event }) => present(event),
  }),
]

const ofPlaces = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/audit_events`, {
    summary: `List the audit events of a ${kind}, newest first`,
    access: onProjectOrGroup(kind, managers),
    query: { ...period, ...order },
    item: AuditEvent,
    keyset: true,
    handle: ({ app, place, query, page }) => pageOf(app, { entity_type: typeOf(kind), entity_id: place.row.id }, query, page),
  }),
  endpoint(`GET /${kind}s/:id/audit_events/:audit_event_id`, {
    summary: `Get an audit event of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), eventHere),
    reply: AuditEvent,
    handle: ({ event }) => present(event),
  }),
])

export const auditEvents = [...ofInstance, ...ofPlaces]

function present(row: AuditEventRow): Static<typeof AuditEvent> {
  const { id, author_id, author_name, entity_id, entity_type, entity_path, event_name, created_at } = row
  const { target_type, target_id, target_details, ip_address } = row
  return {
    id,
    author_id: author_id ?? -1,
    entity_id: entity_id ?? 1,
    entity_type,
    event_name,
    details: { ...JSON.parse(row.details), author_name, target_type, target_id, target_details, entity_path, ip_address },
    created_at,
  }
}
