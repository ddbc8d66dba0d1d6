/** Integrations of projects with other tools (spec 4.23): all kinds by one family, from the table of kinds. */
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { none } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { kindOf, type Settings } from '../kinds/kinds.ts'
import { integrationOf } from './services.access.ts'
import { presentIntegration } from './services.present.ts'
import { integrationsAt } from './services.queries.ts'
import { flagNames, Integration, integrationBody } from './services.schema.ts'
import { removeIntegration, setIntegration } from './services.service.ts'
import type { Flags } from './settings.ts'

export const services = [
  listEndpoint('GET /projects/:id/services', {
    summary: 'List the active integrations of a project',
    access: project('manage_integrations'),
    alias: 'GET /projects/:id/integrations',
    item: Integration,
    async handle({ app, project, page }) {
      const active = (await integrationsAt(app.db, project.id)).flatMap((row) => {
        const kind = row.active ? kindOf(row.slug) : null
        return kind ? [{ kind, row }] : []
      })
      const { rows, total } = slice(active, page)
      return { rows: rows.map(({ kind, row }) => presentIntegration(app, kind, row)), total }
    },
  }),
  endpoint('GET /projects/:id/services/:slug', {
    summary: 'Get the settings of an integration',
    access: integrationOf,
    alias: 'GET /projects/:id/integrations/:slug',
    reply: Integration,
    handle: async ({ app, kind, row }) => presentIntegration(app, kind, row),
  }),
  endpoint('PUT /projects/:id/services/:slug', {
    summary: 'Set up an integration, or change it',
    access: integrationOf,
    alias: 'PUT /projects/:id/integrations/:slug',
    body: integrationBody,
    reply: Integration,
    async handle({ app, project, kind, body }) {
      const fields = pick<Settings>(
        body,
        kind.fields.map(({ name }) => name),
      )
      const flags = pick<Flags>(body, flagNames)
      const active = (body as { active?: boolean }).active
      return presentIntegration(app, kind, await setIntegration(app, project.id, kind, { active, fields, flags }, { keeping: false }))
    },
  }),
  endpoint('DELETE /projects/:id/services/:slug', {
    summary: 'Remove an integration, with its settings',
    access: integrationOf,
    alias: 'DELETE /projects/:id/integrations/:slug',
    reply: none,
    lastChanged: ({ row }) => row?.updated_at ?? null,
    async handle({ app, row }) {
      if (row) await removeIntegration(app, row)
      return null
    },
  }),
]

/** The fields among these that were sent. */
function pick<T>(body: Record<string, unknown>, names: readonly string[]): T {
  return Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]])) as T
}
