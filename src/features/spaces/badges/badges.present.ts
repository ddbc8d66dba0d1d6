/** A badge as JSON, with its placeholders filled in. */
import type { Static } from 'typebox'
import type { Badge as BadgeRow } from '../../../db/tables.ts'
import type { Badge, RenderedBadge } from './badges.schema.ts'
import { type BadgeUrls, fillIn, type Placeholders } from './placeholders.service.ts'

/** Without values, placeholders are left as written. */
export function presentBadge(row: BadgeRow, values: Placeholders | null): Static<typeof Badge> {
  const { link_url, image_url, rendered_link_url, rendered_image_url } = presentUrls(row, values)
  return { link_url, image_url, rendered_link_url, rendered_image_url, id: row.id, kind: row.project_id === null ? 'group' : 'project' }
}

/** As `presentBadge`, for one that doesn't exist yet. */
export function presentUrls({ link_url, image_url }: BadgeUrls, values: Placeholders | null): Static<typeof RenderedBadge> {
  const filled = (url: string) => (values ? fillIn(url, values) : url)
  return { link_url, image_url, rendered_link_url: filled(link_url), rendered_image_url: filled(image_url) }
}
