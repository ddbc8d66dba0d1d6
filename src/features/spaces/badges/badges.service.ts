/** Rules of badges: valid URLs, and where each can be changed. */
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

/** Maximum shown with a project. */
const maxShown = 20

/** The badges of a project and of its groups, with their placeholders filled in for the viewer. */
export async function badgesOfProject(app: App, access: ProjectAccess, viewer: Viewer): Promise<Array<Static<typeof BadgeJson>>> {
  const place = { project_id: access.project.id, below: access.project.namespace_id }
  const { rows } = await listBadges(app.db, place, { limit: maxShown, offset: 0 })
  const values = rows.length === 0 ? null : await placeholdersOf(app, access, viewer, rows)
  return rows.map((row) => presentBadge(row, values))
}

/** Throws 404 if it isn't in the place or, for a project, in its groups. */
export async function findBadge(db: Db, place: BadgePlace, id: number): Promise<Badge> {
  const badge = await badgeAt(db, place, id)
  if (!badge) throw missing()
  return badge
}

/** As `findBadge`, for a change or deletion. Throws 403 for a badge that a project inherits from its groups, whose owners decide on it. */
export async function findOwnBadge(db: Db, place: BadgePlace, id: number, verb: 'change' | 'delete'): Promise<Badge> {
  const badge = await findBadge(db, place, id)
  if ('project_id' in place && badge.project_id === null) {
    const error = `To ${verb} a Group badge please use the Group endpoint`
    throw new Failure('forbidden', error, { body: { error } })
  }
  return badge
}

/** Fields that aren't sent are kept. Throws 400 as `acceptUrls` does, and 404 if the badge was deleted meanwhile. */
export async function changeBadge(db: Db, { id, link_url, image_url }: Badge, sent: Partial<BadgeUrls>): Promise<Badge> {
  const changed = await updateBadge(db, id, acceptUrls({ link_url, image_url, ...sent }))
  if (!changed) throw missing()
  return changed
}

const longest = 2_048

/** The trimmed URLs. Throws 400 unless both are web URLs. */
export function acceptUrls(sent: BadgeUrls): BadgeUrls {
  const urls = { link_url: sent.link_url.trim(), image_url: sent.image_url.trim() }
  assertValid({ link_url: urlError(urls.link_url), image_url: urlError(urls.image_url) })
  return urls
}

function urlError(text: string): string | null {
  if (text === '') return 'must be a valid URL'
  if (text.length > longest) return `is too long (maximum is ${longest} characters)`
  // Browsers drop line breaks and tabs, so the URL would differ from what is displayed.
  if (/[\s\p{Cc}<>"\\]/u.test(text) || !isUrl(text)) return 'is blocked: URI is invalid'
  if (!/^https?:\/\//i.test(text)) return 'is blocked: Only allowed protocols are http, https'
  return null
}
