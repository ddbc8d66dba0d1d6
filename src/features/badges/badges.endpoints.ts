/** Badges of projects and groups: one family, written once. */
import { type Static, Type } from 'typebox'
import { canDownload } from '../../access/find.ts'
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Badge as BadgeRow } from '../../db/people-tables.ts'
import { Failure } from '../../failure.ts'
import { resolveCommit } from '../../git/read.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../http/endpoint.ts'
import { type Access, type Granted, type GroupGranted, group, type ProjectGranted, project } from '../../http/rules.ts'
import { Id, none } from '../../http/schema.ts'
import { requireUnmodified } from '../../http/unmodified.ts'
import { type BadgePlace, badgeAt, deleteBadge, insertBadge, listBadges, updateBadge } from './badges.queries.ts'
import { Badge, RenderedBadge } from './badges.schema.ts'
import { acceptUrls, type BadgeUrls, fillIn, type Placeholders } from './badges.service.ts'

interface BadgesGranted extends Granted {
  place: BadgePlace
  /** What placeholders stand for in these addresses; null in a group, where they stand for themselves. */
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
        return render(accepted, await placeholders([accepted]))
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
        const at = 'namespace_id' in place ? { ...place, project_id: null } : { project_id: place.project_id, namespace_id: null }
        const badge = await insertBadge(app.db, { ...at, ...acceptUrls(body), created_at: now() })
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
        const { id, link_url, image_url } = await findOwn(app.db, place, params.badge_id, 'change')
        const badge = await updateBadge(app.db, id, acceptUrls({ link_url, image_url, ...body }))
        if (!badge) throw missing()
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
        const { id, created_at } = await findOwn(app.db, place, params.badge_id, 'delete')
        requireUnmodified(unmodifiedSince, created_at)
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
      return { user, place: { namespace_id: group.id }, placeholders: async () => null }
    },
  }
}

function atProject(inner: Access<ProjectGranted>): Access<BadgesGranted> {
  return {
    ...inner,
    async grant(app, caller, params) {
      const { user, project, level, repo } = await inner.grant(app, caller, params)
      const reads = canDownload({ project, level }, user)
      const default_branch = reads ? project.default_branch : null
      return {
        user,
        place: { project_id: project.id, below: project.namespace_id },
        async placeholders(urls) {
          const asked = urls.some(({ link_url, image_url }) => `${link_url} ${image_url}`.includes('%{commit_sha}'))
          const commit_sha = asked && default_branch !== null ? await resolveCommit(repo, `refs/heads/${default_branch}`) : null
          return { project_path: project.full_path, project_id: String(project.id), default_branch, commit_sha }
        },
      }
    },
  }
}

/** Throws 404 for what is neither here nor, below a project, in its groups. */
async function findBadge(db: Db, place: BadgePlace, id: number): Promise<BadgeRow> {
  const badge = await badgeAt(db, place, id)
  if (!badge) throw missing()
  return badge
}

/** As `findBadge`; what a project has of its groups is changed there. */
async function findOwn(db: Db, place: BadgePlace, id: number, verb: 'change' | 'delete'): Promise<BadgeRow> {
  const badge = await findBadge(db, place, id)
  if ('project_id' in place && badge.project_id === null) {
    const error = `To ${verb} a Group badge please use the Group endpoint`
    throw new Failure('forbidden', error, { body: { error } })
  }
  return badge
}

function missing(): Failure {
  return new Failure('not_found', '404 Not found')
}

function presentBadge(row: BadgeRow, values: Placeholders | null): Static<typeof Badge> {
  return { ...render(row, values), id: row.id, kind: row.project_id === null ? 'group' : 'project' }
}

function render({ link_url, image_url }: BadgeUrls, values: Placeholders | null): Static<typeof RenderedBadge> {
  const filled = (url: string) => (values ? fillIn(url, values) : url)
  return { link_url, image_url, rendered_link_url: filled(link_url), rendered_image_url: filled(image_url) }
}
