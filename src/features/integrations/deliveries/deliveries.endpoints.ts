/** The log of webhook deliveries, redelivery, and tests: of projects and groups as one family, and of the instance. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups, type PlaceGranted } from '../../../http/declare/places.ts'
import { administrator, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, oneOf, resource } from '../../../http/parameters/schema.ts'
import { findHook, hookInPath, hookPlaceOf, ofInstance, systemHookInPath } from '../hooks/hooks.ts'
import { deliverAgain, sampleOfInstance, sendSample } from './again.service.ts'
import { presentDelivery } from './deliveries.present.ts'
import { HookEvent } from './deliveries.schema.ts'
import { deliveryOf, listDeliveries } from './log.queries.ts'
import { groupTriggers, triggers } from './samples.service.ts'

const event = nested({ hook_id: Id, hook_event_id: Id }, async ({ place }: PlaceGranted, { hook_id, hook_event_id }, app) => {
  const hook = await findHook(app.db, hookPlaceOf(place), hook_id)
  return { hook, delivery: await findDelivery(app, hook.id, hook_event_id) }
})
const systemEvent = nested({ hook_id: Id, hook_event_id: Id }, async (_: SignedIn, { hook_id, hook_event_id }, app) => {
  const hook = await findHook(app.db, ofInstance, hook_id)
  return { hook, delivery: await findDelivery(app, hook.id, hook_event_id) }
})

async function findDelivery(app: App, hook_id: number, id: number) {
  const delivery = await deliveryOf(app.db, hook_id, id)
  if (!delivery) throw notFound('Hook Event')
  return delivery
}

const Again = resource('SentAgain', { message: Type.String(), count: Type.Integer() })
const Tested = resource('HookTest', { message: Type.String(), hook_event_id: Type.Integer({ description: 'In the log of the webhook' }) })
const trigger = {
  project: oneOf(...(Object.keys(triggers) as (keyof typeof triggers)[])),
  group: oneOf(...(Object.keys(groupTriggers) as (keyof typeof groupTriggers)[])),
}

const placed = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/hooks/:hook_id/events`, {
    summary: `List what a webhook of a ${kind} was sent, newest first`,
    access: within(onProjectOrGroup(kind, managers), hookInPath),
    item: HookEvent,
    async handle({ app, hook, page }) {
      const { rows, total } = await listDeliveries(app.db, hook.id, page)
      return { rows: rows.map((row) => presentDelivery(app, hook, row)), total }
    },
  }),
  endpoint(`POST /${kind}s/:id/hooks/:hook_id/events/:hook_event_id/resend`, {
    summary: `Send a delivery of a webhook of a ${kind} again`,
    access: within(onProjectOrGroup(kind, managers), event),
    reply: Again,
    handle: async ({ app, hook, delivery }) => ({ message: '201 Created', count: await deliverAgain(app.db, hook.id, delivery.id) }),
  }),
  endpoint(`POST /${kind}s/:id/hooks/:hook_id/resend_failed`, {
    summary: `Send all failed deliveries of a webhook of a ${kind} again`,
    access: within(onProjectOrGroup(kind, managers), hookInPath),
    reply: Again,
    handle: async ({ app, hook }) => ({ message: '201 Created', count: await deliverAgain(app.db, hook.id, null) }),
  }),
  endpoint(`POST /${kind}s/:id/hooks/:hook_id/test/:trigger`, {
    summary: `Test a webhook of a ${kind} with the newest object of a kind`,
    access: within(onProjectOrGroup(kind, managers), hookInPath),
    params: { trigger: trigger[kind] },
    reply: Tested,
    fails: ['unprocessable'],
    handle: async ({ app, hook, user, params }) => ({
      message: '201 Created',
      hook_event_id: await sendSample(app, hook, params.trigger, user.id),
    }),
  }),
])

const ofSystem = [
  endpoint('POST /hooks/:hook_id', {
    operationId: 'testHook',
    summary: 'Test a system hook with the newest project',
    access: within(administrator(), systemHookInPath),
    reply: resource('SystemHookTest', {
      event_name: Type.String(),
      name: Type.String(),
      path: Type.String(),
      project_id: Type.Integer(),
      owner_name: Type.String(),
      owner_email: Type.String(),
    }),
    handle: ({ app, hook }) => sampleOfInstance(app, hook),
  }),
  listEndpoint('GET /hooks/:hook_id/events', {
    summary: 'List what a system hook was sent, newest first',
    access: within(administrator(), systemHookInPath),
    item: HookEvent,
    async handle({ app, hook, page }) {
      const { rows, total } = await listDeliveries(app.db, hook.id, page)
      return { rows: rows.map((row) => presentDelivery(app, hook, row)), total }
    },
  }),
  endpoint('POST /hooks/:hook_id/events/:hook_event_id/resend', {
    summary: 'Send a delivery of a system hook again',
    access: within(administrator(), systemEvent),
    reply: Again,
    handle: async ({ app, hook, delivery }) => ({ message: '201 Created', count: await deliverAgain(app.db, hook.id, delivery.id) }),
  }),
  endpoint('POST /hooks/:hook_id/resend_failed', {
    summary: 'Send all failed deliveries of a system hook again',
    access: within(administrator(), systemHookInPath),
    reply: Again,
    handle: async ({ app, hook }) => ({ message: '201 Created', count: await deliverAgain(app.db, hook.id, null) }),
  }),
]

export const deliveries = [...placed, ...ofSystem]
