/** Badges of projects and groups: one family, written once. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { type Access, type Granted, type GroupGranted, group, type ProjectGranted, project } from '../../../http/rules.ts'
import { Id, none } from '../../../http/schema.ts'
import { presentBadge, presentUrls } from './badges.present.ts'
import { type BadgePlace, deleteBadge, insertBadge, listBadges } from './badges.queries.ts'
import { Badge, RenderedBadge } from './badges.schema.ts'
import { acceptUrls, changeBadge, findBadge, findOwnBadge } from './badges.service.ts'
import { type BadgeUrls, examplesOf, type Placeholders, placeholdersOf } from './placeholders.service.ts'

interface BadgesGranted extends Granted {
  place: BadgePlace
  /** What placeholders stand for in these addresses; null where they stand for themselves. */
  placeholders: (urls: BadgeUrls[]) => Promise<Placeholders | null>
}

const params = { badge_id: Id }
const url = (what: string) => Type.String({ description: `Address of the ${what}, of http or https; may contain placeholders` })
const urls = { link_url: url('page it leads to'), image_url: url('image') }

const nouns = [
  { noun: 'project', visible: atProject(project('visible')), administered: atProject(project('maintainer')) },
  { noun: 'group', visible: atGroup(group('visible')), administered: atGroup(group('owner')) },
] as const

type Noun = (typeof nouns)[number]['noun']

export const badges: Endpoint[] = nouns.flatMap(({ noun, visible, administered }) => [
  ...readingOf(noun, visible, administered),
  ...changesOf(noun, administered),
])

function readingOf(noun: Noun, visible: Access<BadgesGranted>, administered: Access<BadgesGranted>): Endpoint[] {
  return [
    listEndpoint(`GET /${noun}s/:id/badges`, {
      summary: noun === 'project' ? 'List the badges of a project and of its groups' : 'List the badges of a group',
      access: visible,
      item: Badge,
      async handle({ app, place, placeholders, page }) {
        const { rows, total } = await listBadges(app.db, place, page)
        const values = await placeholders(rows)
        return { rows: rows.map((row) => presentBadge(row, values)), total }
      },
    }),
    endpoint(`GET /${noun}s/:id/badges/render`, {
      summary: `Preview a badge of a ${noun}`,
      access: administered,
      query: urls,
      reply: RenderedBadge,
      async handle({ query, placeholders }) {
        const accepted = acceptUrls(query)
        return presentUrls(accepted, await placeholders([accepted]))
      },
    }),
    endpoint(`GET /${noun}s/:id/badges/:badge_id`, {
      summary: `Get a badge of a ${noun}`,
      access: visible,
      params,
      reply: Badge,
      async handle({ app, place, placeholders, params }) {
        const badge = await findBadge(app.db, place, params.badge_id)
        return presentBadge(badge, await placeholders([badge]))
      },
    }),
  ]
}

function changesOf(noun: Noun, access: Access<BadgesGranted>): Endpoint[] {
  return [
    endpoint(`POST /${noun}s/:id/badges`, {
      summary: `Add a badge to a ${noun}`,
      access,
      body: urls,
      reply: Badge,
      async handle({ app, place, placeholders, body }) {
        const badge = await insertBadge(app.db, place, acceptUrls(body))
        return presentBadge(badge, await placeholders([badge]))
      },
    }),
    endpoint(`PUT /${noun}s/:id/badges/:badge_id`, {
      summary: `Change a badge of a ${noun}`,
      access,
      params,
      body: { link_url: Type.Optional(urls.link_url), image_url: Type.Optional(urls.image_url) },
      reply: Badge,
      async handle({ app, place, placeholders, params, body }) {
        const badge = await changeBadge(app.db, place, params.badge_id, body)
        return presentBadge(badge, await placeholders([badge]))
      },
    }),
    endpoint(`DELETE /${noun}s/:id/badges/:badge_id`, {
      summary: `Remove a badge from a ${noun}`,
      access,
      params,
      reply: none,
      fails: { unmodified_since: 412 },
      async handle({ app, place, params, unmodifiedSince }) {
        const { id, updated_at, created_at } = await findOwnBadge(app.db, place, params.badge_id, 'delete')
        requireUnmodified(unmodifiedSince, updated_at ?? created_at)
        await deleteBadge(app.db, id)
        return null
      },
    }),
  ]
}

function atGroup(inner: Access<GroupGranted>): Access<BadgesGranted> {
  return {
    ...inner,
    async grant(app, caller, params) {
      const { user, group } = await inner.grant(app, caller, params)
      return { user, place: { namespace_id: group.id }, placeholders: (urls) => examplesOf(app, group.id, user, urls) }
    },
  }
}

function atProject(inner: Access<ProjectGranted>): Access<BadgesGranted> {
  return {
    ...inner,
    async grant(app, caller, params) {
      const { user, ...access } = await inner.grant(app, caller, params)
      const { id, namespace_id } = access.project
      return { user, place: { project_id: id, below: namespace_id }, placeholders: (urls) => placeholdersOf(app, access, user, urls) }
    },
  }
}
