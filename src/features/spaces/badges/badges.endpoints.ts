/** Badges of projects and groups: one family, declared once. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups, type Place, type PlaceGranted } from '../../../http/declare/places.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { presentBadge, presentUrls } from './badges.present.ts'
import { type BadgePlace, deleteBadge, insertBadge, listBadges } from './badges.queries.ts'
import { Badge, RenderedBadge } from './badges.schema.ts'
import { acceptUrls, changeBadge, findBadge, findOwnBadge } from './badges.service.ts'
import { type BadgeUrls, examplesOf, type Placeholders, placeholdersOf } from './placeholders.service.ts'

const url = (what: string) => Type.String({ description: `HTTP or HTTPS URL of the ${what}; may contain placeholders` })
const urls = { link_url: url('page the badge links to'), image_url: url('image') }

const badge = nested({ badge_id: Id }, async ({ place }: PlaceGranted, { badge_id }, app) => ({
  badge: await findBadge(app.db, whereOf(place), badge_id),
}))
/** Grants the badge for changes: a group's badge can only be changed in the group. */
const ownBadge = (verb: 'change' | 'delete') =>
  nested({ badge_id: Id }, async ({ place }: PlaceGranted, { badge_id }, app) => ({
    badge: await findOwnBadge(app.db, whereOf(place), badge_id, verb),
  }))

export const badges = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/badges`, {
    summary: kind === 'project' ? 'List the badges of a project and of the groups above it' : 'List the badges of a group',
    access: onProjectOrGroup(kind, 'visible'),
    item: Badge,
    async handle({ app, user, place, page }) {
      const { rows, total } = await listBadges(app.db, whereOf(place), page)
      const values = await placeholdersAt(app, place, user, rows)
      return { rows: rows.map((row) => presentBadge(row, values)), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/badges/render`, {
    summary: `Preview a badge of a ${kind}`,
    operationId: kind === 'project' ? 'previewProjectBadge' : 'previewGroupBadge',
    access: onProjectOrGroup(kind, managers),
    query: urls,
    reply: RenderedBadge,
    async handle({ app, user, place, query }) {
      const accepted = acceptUrls(query)
      return presentUrls(accepted, await placeholdersAt(app, place, user, [accepted]))
    },
  }),
  endpoint(`GET /${kind}s/:id/badges/:badge_id`, {
    summary: `Get a badge of a ${kind}`,
    access: within(onProjectOrGroup(kind, 'visible'), badge),
    reply: Badge,
    handle: async ({ app, user, place, badge }) => presentBadge(badge, await placeholdersAt(app, place, user, [badge])),
  }),
  endpoint(`POST /${kind}s/:id/badges`, {
    summary: `Add a badge to a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    body: urls,
    reply: Badge,
    async handle({ app, user, place, body }) {
      const badge = await insertBadge(app.db, whereOf(place), acceptUrls(body))
      return presentBadge(badge, await placeholdersAt(app, place, user, [badge]))
    },
  }),
  endpoint(`PUT /${kind}s/:id/badges/:badge_id`, {
    summary: `Update a badge of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), ownBadge('change')),
    body: { link_url: Type.Optional(urls.link_url), image_url: Type.Optional(urls.image_url) },
    reply: Badge,
    async handle({ app, user, place, badge, body }) {
      const changed = await changeBadge(app.db, badge, body)
      return presentBadge(changed, await placeholdersAt(app, place, user, [changed]))
    },
  }),
  endpoint(`DELETE /${kind}s/:id/badges/:badge_id`, {
    summary: `Remove a badge from a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), ownBadge('delete')),
    reply: none,
    lastChanged: ({ badge }) => badge.updated_at ?? badge.created_at,
    async handle({ app, badge }) {
      await deleteBadge(app.db, badge.id)
      return null
    },
  }),
])

function whereOf({ kind, row }: Place): BadgePlace {
  return kind === 'group' ? { namespace_id: row.id } : { project_id: row.id, below: row.namespace_id }
}

/** Values for the placeholders in these URLs; null if placeholders are left as written. */
function placeholdersAt(app: App, { kind, row, level }: Place, user: User | null, urls: BadgeUrls[]): Promise<Placeholders | null> {
  return kind === 'group' ? examplesOf(app, row.id, user, urls) : placeholdersOf(app, { project: row, level }, user, urls)
}
