/** The rules of badges: what their addresses may be, and where each is changed. */
import type { Static } from 'typebox'
import type { ProjectAccess } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { Badge } from '../../../db/tables.ts'
import { Failure, missing } from '../../../failure.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { assertValid } from '../../../validation.ts'
import { presentBadge } from './badges.present.ts'
import { type BadgePlace, badgeAt, listBadges, updateBadge } from './badges.queries.ts'
import type { Badge as BadgeJson } from './badges.schema.ts'
import { type BadgeUrls, placeholdersOf } from './placeholders.service.ts'

/** So many are shown with a project. */
const maxShown = 20

/** The badges of a project and of its groups, with their placeholders filled in for the viewer. */
export async function badgesOfProject(app: App, access: ProjectAccess, viewer: Viewer): Promise<Array<Static<typeof BadgeJson>>> {
  const place = { project_id: access.project.id, below: access.project.namespace_id }
  const { rows } = await listBadges(app.db, place, { limit: maxShown, offset: 0 })
  const values = rows.length === 0 ? null : await placeholdersOf(app, access, viewer, rows)
  return rows.map((row) => presentBadge(row, values))
}

/** Throws 404 for what is neither here nor, below a project, in its groups. */
export async function findBadge(db: Db, place: BadgePlace, id: number): Promise<Badge> {
  const badge = await badgeAt(db, place, id)
  if (!badge) throw missing()
  return badge
}

/** As `findBadge`, to change or delete it. Throws 403 for what a project has of its groups, whose owners decide on it. */
export async function findOwnBadge(db: Db, place: BadgePlace, id: number, verb: 'change' | 'delete'): Promise<Badge> {
  const badge = await findBadge(db, place, id)
  if ('project_id' in place && badge.project_id === null) {
    const error = `To ${verb} a Group badge please use the Group endpoint`
    throw new Failure('forbidden', error, { body: { error } })
  }
  return badge
}

/** Fields that aren't sent stay as they are. Throws 400 as `acceptUrls`, and 404 where the badge has been deleted meanwhile. */
export async function changeBadge(db: Db, { id, link_url, image_url }: Badge, sent: Partial<BadgeUrls>): Promise<Badge> {
  const changed = await updateBadge(db, id, acceptUrls({ link_url, image_url, ...sent }))
  if (!changed) throw missing()
  return changed
}

const longest = 2_048

/** The addresses without spaces around them. Throws 400 unless both are of web pages. */
export function acceptUrls(sent: BadgeUrls): BadgeUrls {
  const urls = { link_url: sent.link_url.trim(), image_url: sent.image_url.trim() }
  assertValid({ link_url: urlError(urls.link_url), image_url: urlError(urls.image_url) })
  return urls
}

function urlError(text: string): string | null {
  if (text === '') return 'must be a valid URL'
  if (text.length > longest) return `is too long (maximum is ${longest} characters)`
  // Browsers leave out line breaks and tabs: what follows them would be read as something else than what stands there.
  if (/[\s\p{Cc}<>"\\]/u.test(text) || !isUrl(text)) return 'is blocked: URI is invalid'
  if (!/^https?:\/\//i.test(text)) return 'is blocked: Only allowed protocols are http, https'
  return null
}
