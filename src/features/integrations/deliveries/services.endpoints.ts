/** The log of deliveries to integrations, redelivery, and tests. */
import { Type } from 'typebox'
import type { Hook, Integration } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, resource } from '../../../http/parameters/schema.ts'
import { type IntegrationGranted, integrationOf } from '../services/services.ts'
import { deliverAgain } from './again.service.ts'
import { presentDelivery } from './deliveries.present.ts'
import { hookOfIntegration } from './deliveries.queries.ts'
import { HookEvent } from './deliveries.schema.ts'
import { deliveryOf, listDeliveries } from './log.queries.ts'
import { testIntegration } from './try.ts'

const Again = resource('SentAgain', { message: Type.String(), count: Type.Integer() })
const Tried = resource('IntegrationTest', { success: Type.Boolean(), message: Type.String() })

/** The row by which it receives events; 404 if it never received any. */
const hearing = nested({}, async ({ row }: IntegrationGranted, _, app): Promise<{ hook: Hook; row: Integration }> => {
  const hook = row && (await hookOfIntegration(app.db, row.id))
  if (!row || !hook) throw notFound('Service')
  return { hook, row }
})
const event = nested({ hook_event_id: Id }, async ({ hook }: { hook: Hook }, { hook_event_id }, app) => {
  const delivery = await deliveryOf(app.db, hook.id, hook_event_id)
  if (!delivery) throw notFound('Hook Event')
  return { delivery }
})

export const integrationDeliveries = [
  listEndpoint('GET /projects/:id/services/:slug/events', {
    summary: 'List what an integration heard of, newest first',
    access: within(integrationOf, hearing),
    item: HookEvent,
    async handle({ app, hook, page }) {
      const { rows, total } = await listDeliveries(app.db, hook.id, page)
      return { rows: rows.map((row) => presentDelivery(app, hook, row)), total }
    },
  }),
  endpoint('POST /projects/:id/services/:slug/events/:hook_event_id/resend', {
    summary: 'Let an integration hear of an event again',
    access: within(within(integrationOf, hearing), event),
    reply: Again,
    async handle({ app, hook, delivery }) {
      const count = await deliverAgain(app.db, hook.id, delivery.id)
      return { message: '201 Created', count }
    },
  }),
  endpoint('POST /projects/:id/services/:slug/test', {
    summary: 'Test an integration with a sample event',
    access: integrationOf,
    reply: Tried,
    statuses: {},
    fails: ['unprocessable'],
    async handle({ app, project, user, row }) {
      if (!row?.active) throw invalid('400 Bad Request')
      return testIntegration(app, project, user, row)
    },
  }),
]
