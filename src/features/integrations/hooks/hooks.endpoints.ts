/** Webhooks of projects and groups, one family, and those of the instance (spec 6: not shown; the reference's project and system hooks). */
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups } from '../../../http/declare/places.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none } from '../../../http/parameters/schema.ts'
import { hookInPath, systemHookInPath } from './hooks.access.ts'
import { presentHook } from './hooks.present.ts'
import { listHooks, ofInstance } from './hooks.queries.ts'
import { Hook, hookBodies, hookChanges } from './hooks.schema.ts'
import { changeHook, createHook, hookPlaceOf, removeHook } from './hooks.service.ts'

const placedHooks = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/hooks`, {
    summary: `List the webhooks of a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    item: Hook,
    async handle({ app, place, page }) {
      const { rows, total } = await listHooks(app.db, hookPlaceOf(place), page)
      return { rows: rows.map((row) => presentHook(app, row)), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/hooks/:hook_id`, {
    summary: `Get a webhook of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), hookInPath),
    reply: Hook,
    handle: async ({ app, hook }) => presentHook(app, hook),
  }),
  endpoint(`POST /${kind}s/:id/hooks`, {
    summary: `Add a webhook to a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    body: hookBodies[kind],
    reply: Hook,
    fails: ['unprocessable'],
    handle: async ({ app, place, body }) => presentHook(app, await createHook(app, hookPlaceOf(place), body)),
  }),
  endpoint(`PUT /${kind}s/:id/hooks/:hook_id`, {
    summary: `Update a webhook of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), hookInPath),
    body: hookChanges[kind],
    reply: Hook,
    fails: ['unprocessable'],
    handle: async ({ app, hook, body }) => presentHook(app, await changeHook(app, hook, body)),
  }),
  endpoint(`DELETE /${kind}s/:id/hooks/:hook_id`, {
    summary: `Remove a webhook from a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), hookInPath),
    reply: none,
    lastChanged: ({ hook }) => hook.updated_at,
    async handle({ app, hook }) {
      await removeHook(app, hook)
      return null
    },
  }),
])

const systemHooks = [
  listEndpoint('GET /hooks', {
    summary: 'List the system hooks',
    access: administrator(),
    item: Hook,
    async handle({ app, page }) {
      const { rows, total } = await listHooks(app.db, ofInstance, page)
      return { rows: rows.map((row) => presentHook(app, row)), total }
    },
  }),
  endpoint('GET /hooks/:hook_id', {
    summary: 'Get a system hook',
    access: within(administrator(), systemHookInPath),
    reply: Hook,
    handle: async ({ app, hook }) => presentHook(app, hook),
  }),
  endpoint('POST /hooks', {
    summary: 'Add a system hook',
    access: administrator(),
    body: hookBodies.system,
    reply: Hook,
    handle: async ({ app, body }) =>
      presentHook(app, await createHook(app, ofInstance, { push_events: false, repository_update_events: true, ...body })),
  }),
  endpoint('PUT /hooks/:hook_id', {
    summary: 'Update a system hook',
    access: within(administrator(), systemHookInPath),
    body: hookChanges.system,
    reply: Hook,
    handle: async ({ app, hook, body }) => presentHook(app, await changeHook(app, hook, body)),
  }),
  endpoint('DELETE /hooks/:hook_id', {
    summary: 'Remove a system hook',
    access: within(administrator(), systemHookInPath),
    reply: none,
    lastChanged: ({ hook }) => hook.updated_at,
    async handle({ app, hook }) {
      await removeHook(app, hook)
      return null
    },
  }),
]

export const hooks = [...placedHooks, ...systemHooks]
