/** Freeze periods of a project. */
import { type Static, Type } from 'typebox'
import type { CiFreezePeriod } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Instant, none, resource } from '../../../http/parameters/schema.ts'
import { deleteFreezePeriod, freezePeriodAt, listFreezePeriods } from './freeze-periods.queries.ts'
import { changeFreezePeriod, createFreezePeriod } from './freeze-periods.service.ts'

const FreezePeriod = resource('FreezePeriod', {
  id: Type.Integer(),
  freeze_start: Type.String(),
  freeze_end: Type.String(),
  cron_timezone: Type.String(),
  created_at: Instant,
  updated_at: Instant,
})

const period = nested({ freeze_period_id: Id }, async ({ project }: ProjectGranted, { freeze_period_id }, app) => {
  const period = await freezePeriodAt(app.db, project.id, freeze_period_id)
  if (!period) throw notFound('Freeze Period')
  return { period }
})

const readers = using('builds', project('read_deployments'))
const maintainers = unarchived(using('builds', project('manage_deployments')))
const cron = (what: string) => Type.String({ description: `When it ${what}: five fields of cron, such as \`0 23 * * 5\`` })
const zone = 'Time zone of the IANA'

export const freezePeriods = [
  listEndpoint('GET /projects/:id/freeze_periods', {
    summary: 'List the freeze periods of a project',
    access: readers,
    item: FreezePeriod,
    async handle({ app, project, page }) {
      const { rows, total } = await listFreezePeriods(app.db, project.id, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('GET /projects/:id/freeze_periods/:freeze_period_id', {
    summary: 'Get a freeze period',
    access: within(readers, period),
    reply: FreezePeriod,
    handle: ({ period }) => present(period),
  }),
  endpoint('POST /projects/:id/freeze_periods', {
    summary: 'Create a freeze period',
    access: maintainers,
    body: { freeze_start: cron('begins'), freeze_end: cron('ends'), cron_timezone: Type.String({ description: zone, default: 'UTC' }) },
    reply: FreezePeriod,
    handle: async ({ app, project, body }) => present(await createFreezePeriod(app, project.id, body)),
  }),
  endpoint('PUT /projects/:id/freeze_periods/:freeze_period_id', {
    summary: 'Update a freeze period',
    access: within(maintainers, period),
    body: {
      freeze_start: Type.Optional(cron('begins')),
      freeze_end: Type.Optional(cron('ends')),
      cron_timezone: Type.Optional(Type.String({ description: zone })),
    },
    reply: FreezePeriod,
    handle: async ({ app, period, body }) => present(await changeFreezePeriod(app, period, body)),
  }),
  endpoint('DELETE /projects/:id/freeze_periods/:freeze_period_id', {
    summary: 'Delete a freeze period',
    access: within(maintainers, period),
    reply: none,
    lastChanged: ({ period }) => period.updated_at,
    async handle({ app, period }) {
      await deleteFreezePeriod(app.db, period.id)
      return null
    },
  }),
]

function present({ id, freeze_start, freeze_end, cron_timezone, created_at, updated_at }: CiFreezePeriod): Static<typeof FreezePeriod> {
  return { id, freeze_start, freeze_end, cron_timezone, created_at, updated_at }
}
